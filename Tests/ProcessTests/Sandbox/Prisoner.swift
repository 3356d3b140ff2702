/// The source of an agent whose tool tries to get out.
enum Prisoner {
  static let source = agent + targets + attempts + calls

  private static let agent = #"""
    import AgentKit
    import Foundation

    struct Prisoner: Agent {
      let name = "prisoner"
      let description = "tries to get out"

      static let model = ScriptedLanguageModel { request in
        guard case .prompt? = request.transcript.last else {
          return .text(request.transcript.last?.description ?? "")
        }
        let what = request.transcript.last?.description ?? ""
        return .call("escape", GeneratedContent(properties: ["how": what]).jsonString)
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Get out.")
          Escape()
        }
        .model(Self.model)
      }
    }

    struct Escape: Tool {
      let name = "escape"
      let description = "Tries to get out."

      @Generable
      struct Arguments {
        var how: String
      }

      func call(arguments: Arguments) async throws -> String {
        let words = arguments.how.split(separator: "\n").map(String.init)
        let targets = Targets(words.dropFirst())
        if words.first == "address" { return "\(memory)" }
        guard let attempt = attempts[words.first ?? ""] else { return "unheard of" }
        errno = 0
        return attempt(targets) ? "escaped" : "held: \(String(cString: strerror(errno)))"
      }
    }

    """#

  /// What the attempts are made at.
  private static let targets = #"""
    struct Targets {
      let folder: String
      let port: UInt16
      let coordinator: Int32
      let other: Int32
      let address: UInt
      let plugin: String
      let scratch: String

      init(_ words: some Collection<String>) {
        let words = Array(words) + Array(repeating: "", count: 7 - words.count)
        folder = words[0]
        port = UInt16(words[1]) ?? 0
        coordinator = Int32(words[2]) ?? 0
        other = Int32(words[3]) ?? 0
        address = UInt(words[4]) ?? 0
        plugin = words[5]
        scratch = words[6]
      }

      var secret: String { folder + "/secret" }
    }

    let memory = UInt(bitPattern: strdup("kept in memory"))

    func contents(_ path: String) -> String? {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = read(file, &bytes, bytes.count)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    func isSecret(_ path: String) -> Bool { contents(path) == "a secret" }

    func succeeds(_ result: some BinaryInteger) -> Bool { result >= 0 }

    """#

  private static let attempts = #"""
    let attempts: [String: @Sendable (Targets) -> Bool] = [
      "connect to a port": { targets in
        connects(AF_INET, SOCK_STREAM.rawValue, inet(targets.port))
      },
      "send a datagram": { targets in
        connects(AF_INET, SOCK_DGRAM.rawValue, inet(targets.port))
      },
      "listen on a port": { _ in
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return listen(descriptor, 1) == 0
      },
      "connect to a socket file": { targets in
        connects(AF_UNIX, SOCK_STREAM.rawValue, unix(targets.folder + "/socket"))
      },
      "connect to an abstract socket": { targets in
        connects(AF_UNIX, SOCK_STREAM.rawValue, unix("\0" + targets.folder))
      },
      "read a file": { isSecret($0.secret) },
      "write a file": { targets in
        let file = open(targets.folder + "/written", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        return file >= 0
      },
      "remove a file": { unlink($0.folder + "/spare") == 0 },
      "rename a file": { rename($0.folder + "/spare", $0.folder + "/gone") == 0 },
      "list a folder": { targets in
        guard let folder = opendir(targets.folder) else { return false }
        closedir(folder)
        return true
      },
      "change a mode": { chmod($0.secret, 0o600) == 0 },
      "change a time": { targets in utimes(targets.secret, nil) == 0 },
      "truncate a file": { truncate($0.folder + "/spare", 0) == 0 },
      "read through a symbolic link": { targets in
        let link = targets.scratch + "/link"
        unlink(link)
        return symlink(targets.secret, link) == 0 && isSecret(link)
      },
      "read through a hard link": { targets in
        let link = targets.scratch + "/hard"
        unlink(link)
        return linkat(AT_FDCWD, targets.secret, AT_FDCWD, link, 0) == 0 && isSecret(link)
      },
      "write its own plugin": { targets in
        let file = open(targets.plugin, O_WRONLY)
        defer { close(file) }
        return file >= 0
      },
      "read another's scratch folder": { isSecret($0.scratch + "/../other/secret") },
      "read another's memory through proc": { targets in
        let file = open("/proc/\(targets.other)/mem", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4)
        return pread(file, &bytes, 4, off_t(targets.address)) == 4
      },
      "read another's memory": { targets in
        var bytes = [UInt8](repeating: 0, count: 4)
        var words: [UInt] = [0, 4, targets.address, 4]
        return words.withUnsafeMutableBufferPointer { words in
          bytes.withUnsafeMutableBytes { bytes in
            words[0] = UInt(bitPattern: bytes.baseAddress)
            let local = Int(bitPattern: words.baseAddress)
            return call(.processVMReadv, Int(targets.other), local, 1, local + 16, 1, 0) == 4
          }
        }
      },
      "trace another": { targets in
        guard call(.ptrace, 16, Int(targets.other), 0, 0) == 0 else { return false }
        waitpid(targets.other, nil, Int32(bitPattern: 0x4000_0000))
        return call(.ptrace, 17, Int(targets.other), 0, 0) == 0
      },
      "signal the coordinator": { kill($0.coordinator, SIGURG) == 0 },
      "signal another": { kill($0.other, SIGURG) == 0 },
      "signal by way of a pipe": { targets in
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        return control(ends[0], 8, Int(targets.coordinator)) == 0
      },
      "slow the coordinator down": { targets in
        setpriority(Int32(PRIO_PROCESS.rawValue), id_t(targets.coordinator), 0) == 0
      },
      "read another's environment": { contents("/proc/\($0.coordinator)/environ") != nil },
      "read its own environment": { _ in getenv("ORCHESTRATOR_TEST_SECRET") != nil },
      "fork": { _ in
        typealias Fork = @convention(c) () -> pid_t
        let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
        let pid = fork()
        if pid == 0 { _exit(0) }
        waitpid(pid, nil, 0)
        return pid > 0
      },
      "fork as a template does": { _ in
        let pid = call(.clone, 0x8000 | Int(SIGCHLD), 0, 0, 0, 0)
        if pid == 0 { _exit(0) }
        return pid > 0
      },
      "run a program": { _ in
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        guard posix_spawn(&pid, "/bin/true", nil, nil, words, environ) == 0 else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
      },
      "become a program": { _ in
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("0.2"), nil]
        return execv("/bin/sleep", words) == 0
      },
      "make a namespace": { _ in
        let pid = call(.clone, 0x1000_0000 | Int(SIGCHLD), 0, 0, 0, 0)
        if pid == 0 { _exit(0) }
        return pid > 0
      },
      "take much memory": { _ in
        let size = 3 << 30
        let pages = mmap(nil, size, PROT_READ | PROT_WRITE, 0x4022, -1, 0)
        return pages != MAP_FAILED && munmap(pages, size) == 0
      },
      "start very many threads": { _ in
        (0..<500).allSatisfy { _ in
          var thread = pthread_t()
          return pthread_create(&thread, nil, { _ in pause(); return nil }, nil) == 0
        }
      },
      "make a huge file": { targets in
        let file = open(targets.scratch + "/huge", O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        return ftruncate(file, 2 << 30) == 0
      },
      "open very many files": { _ in
        (0..<1000).allSatisfy { _ in open("/dev/null", O_RDONLY) >= 0 }
      },
      "make a terminal": { _ in succeeds(open("/dev/ptmx", O_RDWR | O_NOCTTY)) },
      "share memory by name": { targets in
        let name = "/orchestrator-\(targets.coordinator)"
        defer { shm_unlink(name) }
        return succeeds(shm_open(name, O_RDWR | O_CREAT, 0o600))
      },
      "share memory by number": { _ in
        let memory = shmget(key_t(0), 4096, 0o1600)
        shmctl(memory, 0, nil)
        return memory >= 0
      },
      "make a file without a name": { _ in
        "program".withCString { succeeds(call(.memfdCreate, Int(bitPattern: $0), 0)) }
      },
    ]

    """#

  private static let calls = #"""
    enum SystemCall: Int {
      #if arch(x86_64)
        case clone = 56, ptrace = 101, processVMReadv = 310, memfdCreate = 319
      #else
        case ptrace = 117, clone = 220, processVMReadv = 270, memfdCreate = 279
      #endif
    }

    /// Swift has no functions of a variable number of arguments.
    func call(
      _ number: SystemCall, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, _ d: Int = 0, _ e: Int = 0,
      _ f: Int = 0
    ) -> Int {
      typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
      return unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)(
        number.rawValue, a, b, c, d, e, f)
    }

    func control(_ file: Int32, _ command: Int32, _ argument: Int) -> Int32 {
      typealias Control = @convention(c) (Int32, Int32, Int) -> Int32
      return unsafeBitCast(dlsym(nil, "fcntl"), to: Control.self)(file, command, argument)
    }

    func inet(_ port: UInt16) -> [UInt8] {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafeBytes(of: address) { Array($0) }
    }

    func unix(_ path: String) -> [UInt8] {
      withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + Array(path.utf8)
        + (path.hasPrefix("\0") ? [] : [0])
    }

    func connects(_ family: Int32, _ type: UInt32, _ address: [UInt8]) -> Bool {
      let descriptor = socket(family, Int32(type), 0)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return address.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return false }
        return connect(
          descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
      }
    }
    """#
}
