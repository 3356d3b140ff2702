extension HTTPTransfer {
  /// Returns whether a host is this machine, so that a proxy would not reach it.
  ///
  /// - Parameter host: A name or an address; one of IPv6 may be in brackets.
  package static func isLoopback(_ host: String) -> Bool {
    let isNumeric = host.unicodeScalars.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
    return ["localhost", "::1", "[::1]"].contains(host.lowercased())
      || isNumeric && host.hasPrefix("127.")
  }
}
