import Wire

/// What crosses a connection: a length, bytes, and a code that only the other end can have computed,
/// for this place in the sequence.
private enum Record {
  static let head = 4
  static let code = 16
  /// A frame of the channel.
  static let limit = WireLimits.piece + WireLimits.frameOverhead

  static func code(
    _ authenticator: MessageAuthenticator,
    _ number: UInt64,
    _ head: [UInt8],
    _ bytes: [UInt8]
  ) -> ArraySlice<UInt8> {
    authenticator.code(of: self.bytes(of: number), head, bytes).prefix(code)
  }

  static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: number >> $0)
    }
  }
}

struct RecordSealer: Sendable {
  private let authenticator: MessageAuthenticator
  private var count: UInt64 = 0

  init(key: [UInt8]) { authenticator = MessageAuthenticator(key: key) }

  mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
    defer { count += 1 }
    let head = Record.bytes(of: UInt32(bytes.count))
    return head + bytes + Record.code(authenticator, count, head, bytes)
  }
}

struct RecordOpener: Sendable {
  private let authenticator: MessageAuthenticator
  private var count: UInt64 = 0
  private var bytes: [UInt8] = []
  private var start = 0

  init(key: [UInt8]) { authenticator = MessageAuthenticator(key: key) }

  mutating func append(_ more: some Collection<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes += more
  }

  /// Returns the bytes of the next record; `nil` when more have to come.
  mutating func next() throws(WireBreach) -> [UInt8]? {
    guard bytes.count - start >= Record.head else { return nil }
    let head = Array(bytes[start..<start + Record.head])
    let length = head.reduce(0) { $0 << 8 | Int($1) }
    guard length <= Record.limit else {
      throw .frameTooLong(length: length, limit: Record.limit)
    }
    let (first, last) = (start + Record.head, start + Record.head + length)
    guard bytes.count >= last + Record.code else { return nil }
    let content = Array(bytes[first..<last])
    let expected = Record.code(authenticator, count, head, content)
    guard MessageAuthenticator.areEqual(bytes[last..<last + Record.code], expected) else {
      throw .invalidValue("a record that the other end has not sealed")
    }
    (start, count) = (last + Record.code, count + 1)
    return content
  }
}
