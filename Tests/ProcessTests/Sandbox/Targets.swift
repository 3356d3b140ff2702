import Foundation

/// What somebody who gets out of a worker could get at.
struct Targets: Sendable {
  let folder: String
  /// Of the loopback interface, for streams and for datagrams.
  let port: UInt16
  private let descriptors: [Int32]

  init(folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.write("a secret", to: folder + "/secret")
    try Self.write("spare", to: folder + "/spare")
    let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    port = try Self.bind(stream, port: 0)
    let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    _ = try Self.bind(datagram, port: port)
    let file = try Self.listen(at: Array((folder + "/socket").utf8) + [0])
    let abstract = try Self.listen(at: [0] + Array(folder.utf8))
    guard Foundation.listen(stream, 8) == 0 else { throw Fault(code: errno) }
    descriptors = [stream, datagram, file, abstract]
  }

  func remove() {
    for descriptor in descriptors { close(descriptor) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  struct Fault: Error {
    let code: Int32
  }

  static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private static func bind(_ descriptor: Int32, port: UInt16) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Foundation.bind(descriptor, pointer, size) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard status else { throw Fault(code: errno) }
    return UInt16(bigEndian: address.sin_port)
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
