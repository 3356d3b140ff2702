import Foundation

/// Reports the coordinator's state to a service manager, using systemd's protocol.
///
/// Does nothing without one.
package enum Notify {
  package static func ready() { send("READY=1") }
  package static func stopping() { send("STOPPING=1") }

  private static func send(_ state: String) {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !path.isEmpty else {
      return
    }
    #if os(Linux)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    // A path that begins with @ names an abstract socket, whose first byte is zero.
    var bytes = Array(path.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < capacity else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + bytes.count } ?? 0
    let payload = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, payload, payload.count, 0, $0, socklen_t(length))
      }
    }
  }
}
