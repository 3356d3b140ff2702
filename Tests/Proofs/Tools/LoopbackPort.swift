import FlyingSocks
import Foundation

/// Ports of the loopback interface.
enum LoopbackPort {
  /// One that nobody listens on now.
  static func free() throws -> UInt16 {
    let socket = try Socket(domain: Int32(AF_INET))
    defer { try? socket.close() }
    try socket.bind(to: try .inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else {
      throw Broken(description: "There is no loopback interface.")
    }
    return port
  }
}
