import Foundation
import NIOCore

/// A network address of this machine on which a coordinator listens.
package struct ListenAddress: Sendable, Equatable {
  /// The numeric address, without brackets.
  package let host: String
  /// The port; 0 to let the system choose one.
  package let port: UInt16

  init(host: String, port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  /// Makes an address on the loopback interface, which only this machine can reach.
  package init(port: UInt16) { self.init(host: "127.0.0.1", port: port) }

  /// Parses `8765`, `127.0.0.1:8765` or `[::1]:8765`; `nil` for anything else.
  package init?(_ text: String) {
    let separator = text.lastIndex(of: ":")
    let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
    guard let port = UInt16(digits), digits.allSatisfy(\.isNumber) else { return nil }
    guard let separator else {
      self.init(port: port)
      return
    }
    var host = String(text[..<separator])
    let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
    if hasBrackets { host = String(host.dropFirst().dropLast()) }
    switch try? SocketAddress(ipAddress: host, port: Int(port)) {
    case .v4 where !hasBrackets, .v6 where hasBrackets: self.init(host: host, port: port)
    default: return nil
    }
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// The host by which this machine reaches it, also where it is all of the machine's addresses.
  package var reachableHost: String {
    switch host {
    case "0.0.0.0": "127.0.0.1"
    case "::": "::1"
    default: host
    }
  }

  static func isLoopback(_ host: String) -> Bool { host == "::1" || host.hasPrefix("127.") }

  /// Returns why nothing can listen there now; `nil` if something can.
  package func problem() -> String? {
    guard let address = try? SocketAddress(ipAddress: host, port: Int(port)) else { return nil }
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(host.contains(":") ? AF_INET6 : AF_INET, kind, 0)
    defer { close(descriptor) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let code = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
    return code == 0 ? nil : String(cString: strerror(errno))
  }
}

extension ListenAddress: CustomStringConvertible {
  package var description: String { Self.text(host, port) }

  /// Formats an address and a port as in a request.
  static func text(_ host: String, _ port: UInt16) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// A host name that requests may use, such as that of a proxy.
package struct HostName: Sendable, Equatable {
  let host: String
  /// The port; `nil` for the one on which the coordinator listens.
  let port: UInt16?

  /// Parses `NAME` or `NAME:PORT`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let letters = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-."))
    guard (1...2).contains(parts.count), !parts[0].isEmpty,
      parts[0].unicodeScalars.allSatisfy({ $0.isASCII && letters.contains($0) })
    else { return nil }
    host = parts[0].lowercased()
    if parts.count == 1 {
      port = nil
    } else {
      guard let number = UInt16(parts[1]), number > 0 else { return nil }
      port = number
    }
  }
}
