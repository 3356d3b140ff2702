import FlyingSocks
import Foundation

/// An address of this machine, with a port, for a door.
package struct DoorAddress: Sendable, Equatable {
  /// The numeric address, without brackets.
  package let host: String
  /// The port; 0 to let the system choose one.
  package let port: UInt16

  /// Makes an address on the loopback interface, which only this machine can reach.
  package init(port: UInt16) {
    (host, self.port) = ("127.0.0.1", port)
  }

  private init(host: String, port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  /// Parses `8765`, `127.0.0.1:8765` or `[::1]:8765`; `nil` for anything else.
  package init?(_ text: String) {
    let separator = text.lastIndex(of: ":")
    let digits = separator.map { text[text.index(after: $0)...] } ?? text[...]
    guard let port = UInt16(digits), digits.allSatisfy(\.isNumber) else { return nil }
    guard let separator else {
      (host, self.port) = ("127.0.0.1", port)
      return
    }
    var host = String(text[..<separator])
    let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
    if hasBrackets { host = String(host.dropFirst().dropLast()) }
    let isValid =
      hasBrackets
      ? (try? sockaddr_in6.inet6(ip6: host, port: port)) != nil
      : (try? sockaddr_in.inet(ip4: host, port: port)) != nil
    guard isValid else { return nil }
    (self.host, self.port) = (host, port)
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool { Self.isLoopback(host) }

  static func isLoopback(_ host: String) -> Bool { host == "::1" || host.hasPrefix("127.") }

  var isIP6: Bool { host.contains(":") }

  /// Returns why nothing can listen there now; `nil` if something can.
  package func problem() -> String? {
    do {
      try bind().close()
      return nil
    } catch {
      return ControlServer.problem(error)
    }
  }

  /// Returns this address with the port to which a socket is bound.
  func found(by socket: Socket) throws -> DoorAddress {
    switch try socket.sockname() {
    case .ip4(_, let port), .ip6(_, let port): return DoorAddress(host: host, port: port)
    case .unix: return self
    }
  }

  /// Makes a socket bound to the address.
  func bind() throws -> Socket {
    let socket = try Socket(domain: Int32(isIP6 ? AF_INET6 : AF_INET))
    do {
      try socket.setValue(true, for: .localAddressReuse)
      if isIP6 {
        try socket.bind(to: try .inet6(ip6: host, port: port))
      } else {
        try socket.bind(to: try .inet(ip4: host, port: port))
      }
      return socket
    } catch {
      try? socket.close()
      throw error
    }
  }
}

extension DoorAddress: CustomStringConvertible {
  package var description: String { Self.text(host, port) }

  /// Formats an address and a port as in a request.
  static func text(_ host: String, _ port: UInt16) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// A host name that requests to a door may use, such as that of a proxy in front of it.
package struct DoorName: Sendable, Equatable {
  let host: String
  /// The port; `nil` for the door's own.
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
