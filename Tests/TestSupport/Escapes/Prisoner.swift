/// The source of an agent whose tool tries to get out.
package enum Prisoner {
  /// - Parameter permissions: The permissions that it declares, as source.
  package static func source(
    type: String = "Prisoner",
    name: String = "prisoner",
    permissions: String = ""
  ) -> String {
    agent(type: type, name: name, permissions: permissions) + targets + attempts + calls + addresses
  }

  private static func agent(type: String, name: String, permissions: String) -> String {
    #"""
    import AgentKit
    import Foundation

    struct \#(type): Agent {
      let name = "\#(name)"
      let description = "tries to get out"
      let permissions: [Permission] = [\#(permissions)]

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
        if words.first == "address" { return "\(getpid()) \(memory)" }
        guard let attempt = attempts[words.first ?? ""] else { return "unheard of" }
        errno = 0
        return attempt(targets) ? "escaped" : "held: \(String(cString: strerror(errno)))"
      }
    }

    """#
  }

  /// The targets of the attempts, in the order of `Targets.words`.
  private static let targets = #"""
    struct Targets {
      let folder: String
      let port: UInt16
      let datagramPort: UInt16
      let newerPort: UInt16
      let coordinator: Int32
      let coordinatorAddress: UInt
      let other: Int32
      let address: UInt
      let plugin: String
      let home: String

      init(_ words: some Collection<String>) {
        let words = Array(words) + Array(repeating: "", count: max(0, 10 - words.count))
        folder = words[0]
        port = UInt16(words[1]) ?? 0
        datagramPort = UInt16(words[2]) ?? 0
        newerPort = UInt16(words[3]) ?? 0
        coordinator = Int32(words[4]) ?? 0
        coordinatorAddress = UInt(words[5]) ?? 0
        other = Int32(words[6]) ?? 0
        address = UInt(words[7]) ?? 0
        plugin = words[8]
        home = words[9]
      }

      var secret: String { folder + "/secret" }
    }

    /// A worker begins in its scratch folder.
    let scratch = FileManager.default.currentDirectoryPath

    let memory = UInt(bitPattern: strdup("kept in memory"))

    func contents(_ path: String) -> String? {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { return nil }
      defer { close(file) }
      return contents(of: file)
    }

    func contents(of file: Int32) -> String? {
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = read(file, &bytes, bytes.count)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    func isSecret(_ path: String) -> Bool { contents(path) == "a secret" }

    func succeeds(_ result: some BinaryInteger) -> Bool { result >= 0 }

    /// Copies four bytes between this process and another.
    func copies(_ number: SystemCall, _ other: Int32, _ address: UInt) -> Bool {
      var bytes = Array("kept".utf8)
      var words: [UInt] = [0, 4, address, 4]
      return words.withUnsafeMutableBufferPointer { words in
        bytes.withUnsafeMutableBytes { bytes in
          words[0] = UInt(bitPattern: bytes.baseAddress)
          let local = Int(bitPattern: words.baseAddress)
          return call(number, Int(other), local, 1, local + 16, 1, 0) == 4
        }
      }
    }

    func takesDescriptor(of other: Int32) -> Bool {
      let process = call(.pidfdOpen, Int(other), 0)
      return process >= 0 && (0..<8).contains { call(.pidfdGetfd, process, $0, 0) >= 0 }
    }

    func traces(_ other: Int32) -> Bool {
      guard call(.ptrace, 16, Int(other), 0, 0) == 0 else { return false }
      waitpid(other, nil, Int32(bitPattern: 0x4000_0000))
      return call(.ptrace, 17, Int(other), 0, 0) == 0
    }

    /// Makes a file, and puts it into the cache of plugins in some way.
    func cachesPlugin(_ targets: Targets, by put: (String, String) -> Int32) -> Bool {
      let file = scratch + "/plugin"
      close(open(file, O_WRONLY | O_CREAT, 0o600))
      let place = targets.home + "/cache/plugins/escape"
      return put(file, place) == 0 && unlink(place) == 0
    }

    func takesMemory(flags: Int32) -> Bool {
      let size = 3 << 30
      let pages = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
      return pages != MAP_FAILED && munmap(pages, size) == 0
    }

    """#

  private static var attempts: String {
    let entries = Attempt.all.map { attempt in
      let lines = attempt.source.split(separator: "\n").joined(separator: "\n  ")
      return "  \"\(attempt.name)\": \(lines),\n"
    }
    return "let attempts: [String: @Sendable (Targets) -> Bool] = [\n\(entries.joined())]\n\n"
  }

  private static let calls = #"""
    enum SystemCall: Int {
      #if arch(x86_64)
        case ioctl = 16, mremap = 25, clone = 56, msgget = 68, msgctl = 71, ptrace = 101, syslog = 103
        case setresuid = 117, capget = 125, capset = 126, queueSignal = 129, prctl = 157
        case mount = 165, sethostname = 170, setxattr = 188, fsetxattr = 190, setAffinity = 203
        case getAffinity = 204, mqOpen = 240, mqUnlink = 241, addKey = 248, keyctl = 250
        case inotifyAddWatch = 254, unshare = 272, fallocate = 285, inotifyInit = 294
        case perfEventOpen = 298
        case fanotifyInit = 300, prlimit = 302, nameToHandleAt = 303, openByHandleAt = 304
        case setns = 308, processVMReadv = 310, processVMWritev = 311, kcmp = 312
        case setScheduling = 314, memfdCreate = 319, bpf = 321, userfaultfd = 323
      #else
        case setxattr = 5, fsetxattr = 7, inotifyInit = 26, inotifyAddWatch = 27, ioctl = 29
        case mount = 40, fallocate = 47, capget = 90, capset = 91, unshare = 97, syslog = 116, ptrace = 117
        case setAffinity = 122, getAffinity = 123, queueSignal = 138, setresuid = 147
        case sethostname = 161, prctl = 167, mqOpen = 180, mqUnlink = 181, msgget = 186
        case msgctl = 187, addKey = 217, keyctl = 219, clone = 220, perfEventOpen = 241
        case prlimit = 261, fanotifyInit = 262, nameToHandleAt = 264, openByHandleAt = 265
        case mremap = 216, setns = 268, processVMReadv = 270, processVMWritev = 271, kcmp = 272
        case setScheduling = 274, memfdCreate = 279, bpf = 280, userfaultfd = 282
      #endif
      // Newer ones have one number everywhere.
      case pidfdSendSignal = 424, ioURingSetup = 425, pidfdOpen = 434, pidfdGetfd = 438
      case memfdSecret = 447
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

    /// Where something lies, as an argument of a call.
    func word(_ pointer: UnsafeRawPointer) -> Int { Int(bitPattern: pointer) }

    func control(_ file: Int32, _ command: Int32, _ argument: Int) -> Int32 {
      typealias Control = @convention(c) (Int32, Int32, Int) -> Int32
      return unsafeBitCast(dlsym(nil, "fcntl"), to: Control.self)(file, command, argument)
    }

    """#

  private static let addresses = #"""
    func inet(_ port: UInt16) -> [UInt8] {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafeBytes(of: address) { Array($0) }
    }

    func inet6(_ port: UInt16) -> [UInt8] {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
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
