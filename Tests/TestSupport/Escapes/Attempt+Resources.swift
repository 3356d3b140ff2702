extension Attempt {
  /// Attempts to take what others need.
  static let resources: [Attempt] = [
    Attempt(
      "take much memory",
      #"""
      { _ in
        let size = 3 << 30
        let pages = mmap(nil, size, PROT_READ | PROT_WRITE, 0x4022, -1, 0)
        return pages != MAP_FAILED && munmap(pages, size) == 0
      }
      """#
    ),
    Attempt(
      "take much memory that can be shared",
      allowedBy: [.programs],
      #"""
      { _ in takesMemory(flags: 0x4021) }
      """#
    ),
    Attempt(
      "take much memory as a stack",
      allowedBy: [.programs],
      #"""
      { _ in takesMemory(flags: 0x4122) }
      """#
    ),
    Attempt(
      "take much memory as a stack that was moved",
      allowedBy: [.programs],
      #"""
      { _ in
        guard let end = dlsym(nil, "__libc_stack_end")?.load(as: Int.self) else { return false }
        // Below what the main thread has used, and within what it was given.
        let (page, size) = ((end - (100 << 10)) & ~4095, 3 << 30)
        let moved = call(.mremap, page, 4096, size, 1)
        return moved > 0 && munmap(UnsafeMutableRawPointer(bitPattern: moved), size) == 0
      }
      """#
    ),
    Attempt(
      "let its stack grow",
      #"""
      { _ in
        let bounds: [UInt] = [1 << 30, 1 << 30]
        guard let end = dlsym(nil, "__libc_stack_end")?.load(as: Int.self),
          call(.prlimit, 0, 3, word(bounds)) == 0
        else { return false }
        // Far below what a stack was given at first, and above all that lies below it.
        UnsafeMutablePointer<UInt8>(bitPattern: end - (64 << 20))?.pointee = 1
        return true
      }
      """#
    ),
    Attempt(
      "take memory from a device",
      #"""
      { _ in
        let zero = open("/dev/zero", O_RDONLY)
        let pages = mmap(nil, 3 << 30, PROT_READ, MAP_SHARED, zero, 0)
        return pages != MAP_FAILED && munmap(pages, 3 << 30) == 0
      }
      """#
    ),
    Attempt(
      "take memory that is not counted",
      #"""
      { _ in call(.memfdSecret, 0) >= 0 }
      """#
    ),
    Attempt(
      "start very many threads",
      #"""
      { _ in
        (0..<500).allSatisfy { _ in
          var thread = pthread_t()
          return pthread_create(&thread, nil, { _ in pause(); return nil }, nil) == 0
        }
      }
      """#
    ),
    Attempt(
      "make a huge file",
      #"""
      { targets in
        let file = open(scratch + "/huge", O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        return ftruncate(file, 2 << 30) == 0
      }
      """#
    ),
    Attempt(
      "keep room beyond the end of a file",
      #"""
      { _ in
        let file = open(scratch + "/room", O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        return call(.fallocate, Int(file), 1, 0, 1 << 20) == 0
      }
      """#
    ),
    Attempt(
      "open very many files",
      #"""
      { _ in
        (0..<1000).allSatisfy { _ in open("/dev/null", O_RDONLY) >= 0 }
      }
      """#
    ),
    Attempt(
      "lift its own bounds",
      #"""
      { _ in
        let bounds: [UInt] = [.max, .max]
        return (1...2).allSatisfy { call(.prlimit, 0, $0, word(bounds), 0) == 0 }
      }
      """#
    ),
    Attempt(
      "share memory by name",
      #"""
      { targets in
        let name = "/orchestrator-\(targets.coordinator)"
        defer { shm_unlink(name) }
        return succeeds(shm_open(name, O_RDWR | O_CREAT, 0o600))
      }
      """#
    ),
    Attempt(
      "share memory by number",
      #"""
      { _ in
        let memory = shmget(key_t(0), 4096, 0o1600)
        shmctl(memory, 0, nil)
        return memory >= 0
      }
      """#
    ),
    Attempt(
      "make a file without a name",
      #"""
      { _ in
        "program".withCString { succeeds(call(.memfdCreate, Int(bitPattern: $0), 0)) }
      }
      """#
    ),
    Attempt(
      "leave messages by number",
      #"""
      { _ in
        let queue = call(.msgget, 0, 0o1600)
        if queue >= 0 { _ = call(.msgctl, queue, 0, 0) }
        return queue >= 0
      }
      """#
    ),
    Attempt(
      "leave messages by name",
      #"""
      { _ in
        "orchestrator-escape".withCString { name in
          let queue = call(.mqOpen, word(name), Int(O_RDWR | O_CREAT), 0o600, 0)
          if queue >= 0 { _ = call(.mqUnlink, word(name)) }
          return queue >= 0
        }
      }
      """#
    ),
  ]
}
