extension Attempt {
  /// Attempts to be more than one confined process.
  static let kernel: [Attempt] = [
    Attempt(
      "fork",
      allowedBy: [.programs],
      #"""
      { _ in
        typealias Fork = @convention(c) () -> pid_t
        let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
        let pid = fork()
        if pid == 0 { _exit(0) }
        waitpid(pid, nil, 0)
        return pid > 0
      }
      """#
    ),
    Attempt(
      "fork as a template does",
      allowedBy: [.programs],
      #"""
      { _ in
        let pid = call(.clone, 0x8000 | Int(SIGCHLD), 0, 0, 0, 0)
        if pid == 0 { _exit(0) }
        return pid > 0
      }
      """#
    ),
    Attempt(
      "fork very often",
      allowedBy: [.programs],
      #"""
      { _ in
        var children: [pid_t] = []
        for _ in 0..<200 {
          let pid = pid_t(call(.clone, Int(SIGCHLD), 0, 0, 0, 0))
          if pid == 0 { while true { pause() } }
          if pid > 0 { children.append(pid) }
        }
        for child in children {
          kill(child, SIGKILL)
          waitpid(child, nil, 0)
        }
        return !children.isEmpty
      }
      """#
    ),
    Attempt(
      "fork by the door of older programs",
      #"""
      { _ in
        #if arch(x86_64)
          // mov eax, 2; int 0x80; ret
          let code: [UInt8] = [0xB8, 2, 0, 0, 0, 0xCD, 0x80, 0xC3]
          let page = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | 0x20, -1, 0)
          guard let page, page != MAP_FAILED else { return false }
          page.copyMemory(from: code, byteCount: code.count)
          typealias Fork = @convention(c) () -> Int32
          let pid = unsafeBitCast(page, to: Fork.self)()
          if pid == 0 { _exit(0) }
          return pid > 0
        #else
          return false
        #endif
      }
      """#
    ),
    Attempt(
      "run a program",
      allowedBy: [.programs],
      #"""
      { _ in
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        guard posix_spawn(&pid, "/bin/true", nil, nil, words, environ) == 0 else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
      }
      """#
    ),
    Attempt(
      "become a program",
      #"""
      { _ in
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("0.2"), nil]
        return execv("/bin/sleep", words) == 0
      }
      """#
    ),
    Attempt(
      "become a program that it has written",
      #"""
      { _ in
        let name = scratch + "/program"
        let file = open(name, O_RDWR | O_CREAT, 0o700)
        let words = "#!/bin/sh\necho escaped\n"
        write(file, words, words.utf8.count)
        close(file)
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("program"), nil]
        return execv(name, arguments) == 0
      }
      """#
    ),
    Attempt(
      "make a namespace",
      #"""
      { _ in
        let pid = call(.clone, 0x1000_0000 | Int(SIGCHLD), 0, 0, 0, 0)
        if pid == 0 { _exit(0) }
        return pid > 0
      }
      """#
    ),
    Attempt(
      "leave its network",
      #"""
      { _ in call(.unshare, 0x4000_0000) == 0 }
      """#
    ),
    Attempt(
      "enter the coordinator's namespace",
      #"""
      { targets in
        let file = open("/proc/\(targets.coordinator)/ns/net", O_RDONLY)
        return file >= 0 && call(.setns, Int(file), 0) == 0
      }
      """#
    ),
    Attempt(
      "mount a filesystem",
      #"""
      { _ in
        let isMounted = "tmpfs".withCString { type in
          scratch.withCString { call(.mount, word(type), word($0), word(type), 0, 0) == 0 }
        }
        if isMounted { umount2(scratch, 2) }
        return isMounted
      }
      """#
    ),
    Attempt(
      "change its root",
      #"""
      { _ in chroot(scratch) == 0 }
      """#
    ),
    Attempt(
      "make a device",
      #"""
      { _ in mknod(scratch + "/device", S_IFBLK | 0o600, 7 << 8) == 0 }
      """#
    ),
    Attempt(
      "open a device",
      #"""
      { _ in
        ["/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/loop-control", "/dev/net/tun", "/dev/full"]
          .contains { (name: String) in open(name, O_RDWR | O_NONBLOCK) >= 0 }
      }
      """#
    ),
    Attempt(
      "make a terminal",
      #"""
      { _ in succeeds(open("/dev/ptmx", O_RDWR | O_NOCTTY)) }
      """#
    ),
    Attempt(
      "type into a terminal",
      #"""
      { _ in
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let number: [Int32] = [0]
        // It is unlocked, and asked for its number.
        guard call(.ioctl, Int(main), 0x4004_5431, word(number)) == 0,
          call(.ioctl, Int(main), 0x8004_5430, word(number)) == 0
        else { return false }
        let terminal = open("/dev/pts/\(number[0])", O_RDWR | O_NOCTTY)
        return "x".withCString { call(.ioctl, Int(terminal), 0x5412, word($0)) == 0 }
      }
      """#
    ),
    Attempt(
      "read the kernel's memory",
      #"""
      { _ in contents("/proc/kcore") != nil }
      """#
    ),
    Attempt(
      "read the kernel's log",
      #"""
      { _ in
        let bytes = [UInt8](repeating: 0, count: 4096)
        return call(.syslog, 3, word(bytes), 4096) >= 0
      }
      """#
    ),
    Attempt(
      "change a setting of the kernel",
      #"""
      { _ in
        ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"]
          .contains { (name: String) in open(name, O_WRONLY) >= 0 }
      }
      """#
    ),
    Attempt(
      "rename the machine",
      #"""
      { _ in
        var name = [CChar](repeating: 0, count: 256)
        return gethostname(&name, 255) == 0 && call(.sethostname, word(name), strlen(name)) == 0
      }
      """#
    ),
    Attempt(
      "use rings of system calls",
      #"""
      { _ in
        let settings = [UInt32](repeating: 0, count: 30)
        return call(.ioURingSetup, 1, word(settings)) >= 0
      }
      """#
    ),
    Attempt(
      "serve the faults of the kernel",
      #"""
      { _ in call(.userfaultfd, 0) >= 0 }
      """#
    ),
    Attempt(
      "give the kernel a program",
      #"""
      { _ in
        let map: [UInt32] = [2, 4, 4, 1] + Array(repeating: 0, count: 14)
        return call(.bpf, 0, word(map), 72) >= 0
      }
      """#
    ),
    Attempt(
      "count what another does",
      #"""
      { targets in
        var event = [UInt32](repeating: 0, count: 28)
        (event[0], event[1]) = (1, 112)
        return call(.perfEventOpen, word(event), Int(targets.other), -1, -1, 0) >= 0
      }
      """#
    ),
    Attempt(
      "keep a key in the kernel",
      #"""
      { _ in
        "user".withCString { type in
          "escape".withCString { call(.addKey, word(type), word($0), word($0), 6, -2) >= 0 }
        }
      }
      """#
    ),
    Attempt(
      "read the keys of its user",
      #"""
      { _ in call(.keyctl, 0, -4, 1, 0, 0) >= 0 }
      """#
    ),
    Attempt(
      "take its capabilities back",
      #"""
      { _ in
        let header: [UInt32] = [0x2008_0522, 0]
        var sets = [UInt32](repeating: 0, count: 6)
        guard call(.capget, word(header), word(sets)) == 0 else { return false }
        // To trace, and to read any file.
        for index in 0...1 { sets[index] |= 1 << 19 | 1 << 2 }
        return call(.capset, word(header), word(sets)) == 0
      }
      """#
    ),
    Attempt(
      "become another user",
      #"""
      { _ in call(.setresuid, 65534, 65534, 65534) == 0 }
      """#
    ),
  ]
}
