import Foundation

/// Sends requests to a server on this machine over plain sockets, because the overhead of a client
/// library is not to be measured.
enum LocalSocket {
  struct Failed: Error {
    let call: String
    let code = errno
  }

  /// Returns a port on which nothing listens now.
  static func freePort() throws -> UInt16 {
    let (listener, port) = try bound()
    close(listener)
    return port
  }

  /// Listens on a free port.
  static func listen(backlog: Int32) throws -> (listener: Int32, port: UInt16) {
    let (listener, port) = try bound()
    guard Foundation.listen(listener, backlog) == 0 else { throw Failed(call: "listen") }
    return (listener, port)
  }

  private static func bound() throws -> (socket: Int32, port: UInt16) {
    let listener = try open()
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 ? getsockname(listener, address, &size) : -1
      }
    }
    guard result == 0 else {
      close(listener)
      throw Failed(call: "bind")
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// Sends a request and reads the answer line by line until the server closes.
  ///
  /// - Returns: The status of the answer.
  static func request(
    _ port: UInt16,
    _ text: String,
    onLine: (Substring) -> Void
  ) throws -> Int {
    let connection = try open()
    defer { close(connection) }
    try connect(connection, port)
    try send(text, to: connection)
    var status: Int?
    try readLines(of: connection) { line in
      if status == nil { status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
      onLine(line)
    }
    return status ?? 0
  }

  private static func open() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failed(call: "socket") }
    return descriptor
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func connect(_ connection: Int32, _ port: UInt16) throws {
    var address = address(port: port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failed(call: "connect") }
  }

  private static func send(_ text: String, to connection: Int32) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failed(call: "write") }
      rest = rest.dropFirst(count)
    }
  }

  private static func readLines(of connection: Int32, _ onLine: (Substring) -> Void) throws {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(connection, &buffer, buffer.count)
      guard count >= 0 else { throw Failed(call: "read") }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        onLine(String(decoding: pending[..<end], as: UTF8.self)[...])
        pending.removeSubrange(...end)
      }
      guard count == 0 else { continue }
      // A body of JSON has no end of line.
      if !pending.isEmpty { onLine(String(decoding: pending, as: UTF8.self)[...]) }
      return
    }
  }
}
