import Foundation

/// What code that gets out of a worker could reach.
package struct Targets: Sendable {
  package let folder: String
  /// A port of the loopback interface, for streams.
  private let port: UInt16
  /// A port for datagrams, because the number of the other may be taken there.
  private let datagramPort: UInt16
  /// A port of the newer protocol; `nil` where it is not supported.
  private let newerPort: UInt16?
  private let descriptors: [Int32]

  package init(folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.write("a secret", to: folder + "/secret")
    try Self.write("spare", to: folder + "/spare")
    let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    port = try Self.bind(stream)
    let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    datagramPort = try Self.bind(datagram)
    let newer = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    newerPort = Self.bindNewer(newer)
    let file = try Self.listen(at: Array((folder + "/socket").utf8) + [0])
    let abstract = try Self.listen(at: [0] + Array(folder.utf8))
    guard Foundation.listen(stream, 8) == 0 else { throw Fault(code: errno) }
    if newerPort != nil, Foundation.listen(newer, 8) != 0 { throw Fault(code: errno) }
    descriptors = [stream, datagram, newer, file, abstract].filter { $0 >= 0 }
  }

  package func remove() {
    for descriptor in descriptors { close(descriptor) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Another process and an address in its memory.
  package struct Victim: Sendable {
    package let pid: Int32
    package let address: UInt

    package init(pid: Int32, address: UInt) {
      (self.pid, self.address) = (pid, address)
    }
  }

  /// Returns the attempt and its targets, in the form that a prisoner is told.
  package func words(
    _ attempt: String,
    coordinator: Victim,
    other: Victim,
    plugin: String,
    home: String
  ) -> String {
    let words = [
      attempt, folder, "\(port)", "\(datagramPort)", "\(newerPort ?? 0)",
      "\(coordinator.pid)", "\(coordinator.address)", "\(other.pid)", "\(other.address)",
      plugin, home,
    ]
    return words.joined(separator: "\n")
  }

  /// Whether the files are unchanged.
  package var isUntouched: Bool {
    let manager = FileManager.default
    let names = try? manager.contentsOfDirectory(atPath: folder).sorted()
    return names == ["secret", "socket", "spare"]
      && manager.contents(atPath: folder + "/secret") == Data("a secret".utf8)
      && manager.contents(atPath: folder + "/spare") == Data("spare".utf8)
  }

  struct Fault: Error {
    let code: Int32
  }

  package static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private static func bind(_ descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    guard bind(descriptor, &address) else { throw Fault(code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func bindNewer(_ descriptor: Int32) -> UInt16? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return bind(descriptor, &address) ? UInt16(bigEndian: address.sin6_port) : nil
  }

  /// Binds a socket to an address and stores the assigned port in it.
  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Foundation.bind(descriptor, pointer, size) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
  }

  private static func listen(at path: [UInt8]) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + path
    let status = address.withUnsafeBytes { bytes in
      bytes.baseAddress.map {
        Foundation.bind(
          descriptor,
          $0.assumingMemoryBound(to: sockaddr.self),
          socklen_t(bytes.count)
        )
      }
    }
    guard status == 0, Foundation.listen(descriptor, 8) == 0 else { throw Fault(code: errno) }
    return descriptor
  }
}
