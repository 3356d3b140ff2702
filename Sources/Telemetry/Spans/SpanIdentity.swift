/// The identity of a trace: 16 bytes, never all zero.
package struct TraceID: Sendable, Equatable, Hashable {
  package let bytes: [UInt8]

  init(_ number: UInt128) { bytes = (number == 0 ? 1 : number).bigEndianBytes }

  /// Reads 32 hexadecimal digits; `nil` where they are none, or all zero.
  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 32, let number = UInt128(hex, radix: 16), number != 0 else {
      return nil
    }
    self.init(number)
  }
}

/// The identity of a span: 8 bytes, never all zero.
package struct SpanID: Sendable, Equatable, Hashable {
  package let bytes: [UInt8]

  init(_ number: UInt64) { bytes = (number == 0 ? 1 : number).bigEndianBytes }

  /// Reads 16 hexadecimal digits; `nil` where they are none, or all zero.
  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 16, let number = UInt64(hex, radix: 16), number != 0 else { return nil }
    self.init(number)
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { shift in
      UInt8(truncatingIfNeeded: self >> shift)
    }
  }
}

extension [UInt8] {
  /// The bytes as lowercase hexadecimal digits.
  var hex: String {
    let digits = Array<Character>("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// Derives identities from what is in the journal, so that a second export of a turn is the same.
struct SpanIdentity {
  /// FNV-1a with 128 bits: identities need to differ, and need no secrecy.
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  init(_ parts: [String]) {
    for part in parts {
      for byte in part.utf8 { mix(byte) }
      // A byte that no text has, so that "a", "bc" differs from "ab", "c".
      mix(0xff)
    }
  }

  private mutating func mix(_ byte: UInt8) {
    state = (state ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
  }

  static func trace(session: String, turn: Int64, prompt: String) -> TraceID {
    TraceID(SpanIdentity([session, String(turn), prompt]).state)
  }

  /// - Parameters:
  ///   - kind: What the span is, in a word.
  ///   - number: The number of its turn, or of the fact that it follows from.
  ///   - place: Its place among those that follow from the same fact.
  static func span(_ kind: String, in trace: TraceID, _ number: Int64, place: Int = 0) -> SpanID {
    let state = SpanIdentity([trace.bytes.hex, kind, String(number), String(place)]).state
    return SpanID(UInt64(truncatingIfNeeded: state >> 64) ^ UInt64(truncatingIfNeeded: state))
  }

  /// - Parameters:
  ///   - index: The place of the call among those of its round.
  ///   - fact: The fact that has them.
  static func call(_ index: Int, of fact: Int64, in trace: TraceID) -> SpanID {
    span("tool", in: trace, fact, place: index)
  }
}
