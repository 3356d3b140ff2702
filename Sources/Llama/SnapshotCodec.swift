/// What a snapshot is of.
package struct SnapshotKey: Sendable, Equatable {
  /// The model, how its context was made, and what computes.
  let context: String
  let tokens: [Token]

  package init(context: String, tokens: [Token]) {
    self.context = context
    self.tokens = tokens
  }

  /// A name for the file, which says itself whose it is: two keys may share a name.
  var name: String {
    var checksum = Checksum()
    context.utf8.withContiguousStorageIfAvailable { checksum.add(UnsafeRawBufferPointer($0)) }
    tokens.withUnsafeBytes { checksum.add($0) }
    let digits = String(checksum.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The bytes of a snapshot: a checksum of all that follows, then the key, then the state.
enum SnapshotCodec {
  private static let magic: UInt64 = 0x3130_5846_4552_504F

  static func encode(_ state: SequenceState, for key: SnapshotKey) -> [UInt8] {
    let context = Array(key.context.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(40 + context.count + key.tokens.count * 4 + state.bytes.count)
    // The checksum's place is filled at the end: a state may be large, and is copied once.
    let unknown: UInt64 = 0
    let counts = [context.count, key.tokens.count, state.bytes.count].map(UInt64.init)
    for number in [magic, unknown] + counts {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    bytes += context
    key.tokens.withUnsafeBytes { bytes += $0 }
    bytes += state.bytes
    let checksum = checksum(of: bytes)
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
    return bytes
  }

  /// `nil` where a byte is missing or changed, or the file is another key's.
  static func decode(_ bytes: [UInt8], for key: SnapshotKey) -> SequenceState? {
    guard bytes.count >= 40, number(in: bytes, at: 0) == magic else { return nil }
    guard number(in: bytes, at: 8) == checksum(of: bytes) else { return nil }
    let context = Array(key.context.utf8)
    let tokens = key.tokens.withUnsafeBytes { Array($0) }
    let stateCount = bytes.count - 40 - context.count - tokens.count
    guard stateCount >= 0,
      number(in: bytes, at: 16) == UInt64(context.count),
      number(in: bytes, at: 24) == UInt64(key.tokens.count),
      number(in: bytes, at: 32) == UInt64(stateCount),
      bytes[40...].starts(with: context),
      bytes[(40 + context.count)...].starts(with: tokens)
    else { return nil }
    return SequenceState(tokens: key.tokens, bytes: Array(bytes.suffix(stateCount)))
  }

  /// That of all that follows its own place.
  private static func checksum(of bytes: [UInt8]) -> UInt64 {
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[16...])) }
    return checksum.value
  }

  private static func number(in bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
