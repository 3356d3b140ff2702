/// Computes the codes by which a message proves that its sender has a key: HMAC-SHA-256.
struct MessageAuthenticator: Sendable {
  /// The bytes that SHA-256 takes at once.
  private static let block = 64

  private var inner = SHA256()
  private var outer = SHA256()

  init(key: [UInt8]) {
    var key = key
    if key.count > Self.block {
      var hash = SHA256()
      hash.append(key)
      key = hash.digest
    }
    key += [UInt8](repeating: 0, count: Self.block - key.count)
    inner.append(key.map { $0 ^ 0x36 })
    outer.append(key.map { $0 ^ 0x5c })
  }

  func code(of parts: [UInt8]...) -> [UInt8] {
    var (inner, outer) = (inner, outer)
    for part in parts { inner.append(part) }
    outer.append(inner.digest)
    return outer.digest
  }

  /// Compares codes in a time that does not tell where they differ.
  static func areEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
