import AgentKit

/// Identifies what a snapshot is of.
package struct SnapshotKey: Sendable, Equatable {
  /// The model, how its context was created, and what computes.
  let context: String
  let tokens: [Token]

  package init(context: String, tokens: [Token]) {
    self.context = context
    self.tokens = tokens
  }

  /// The file's name; the file itself holds the key, because two keys may share a name.
  var name: String {
    var checksum = Checksum()
    context.utf8.withContiguousStorageIfAvailable { checksum.add(UnsafeRawBufferPointer($0)) }
    tokens.withUnsafeBytes { checksum.add($0) }
    return String(checksum.value, radix: 16).zeroPadded(to: 16)
  }
}

/// The bytes of a snapshot: a checksum of everything after it, then the key, then the state.
enum SnapshotCodec {
  private static let magic: UInt64 = 0x3230_5846_4552_504F
  /// The size of the magic, the checksum and three counts.
  private static let headerSize = 40

  /// Returns the number of bytes before the state.
  static func headCount(for key: SnapshotKey) -> Int {
    headerSize + key.context.utf8.count + key.tokens.count * MemoryLayout<Token>.size
  }

  /// Returns the bytes before the state, which is written in place because there may be no memory
  /// for another copy.
  static func head(of state: [UInt8], for key: SnapshotKey) -> [UInt8] {
    let context = Array(key.context.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headCount(for: key))
    // The checksum is filled in at the end.
    let unknown: UInt64 = 0
    let counts = [context.count, key.tokens.count, state.count].map(UInt64.init)
    for number in [magic, unknown] + counts {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    bytes += context
    key.tokens.withUnsafeBytes { bytes += $0 }
    let checksum = checksum(of: bytes[...], state[...])
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
    return bytes
  }

  /// Decodes a state; `nil` where bytes are missing or changed, or the file has another key.
  static func decode(_ bytes: [UInt8], for key: SnapshotKey) -> SequenceState? {
    let context = Array(key.context.utf8)
    let tokens = key.tokens.withUnsafeBytes { Array($0) }
    let start = headCount(for: key)
    let stateCount = bytes.count - start
    guard stateCount >= 0, number(in: bytes, at: 0) == magic,
      number(in: bytes, at: 8) == checksum(of: bytes[..<start], bytes[start...]),
      number(in: bytes, at: 16) == UInt64(context.count),
      number(in: bytes, at: 24) == UInt64(key.tokens.count),
      number(in: bytes, at: 32) == UInt64(stateCount),
      bytes[headerSize...].starts(with: context),
      bytes[(headerSize + context.count)...].starts(with: tokens)
    else { return nil }
    return SequenceState(tokens: key.tokens, bytes: Array(bytes[start...]))
  }

  /// Returns the checksum of everything that follows it.
  private static func checksum(of head: ArraySlice<UInt8>, _ state: ArraySlice<UInt8>) -> UInt64 {
    var checksum = Checksum()
    head.dropFirst(16).withUnsafeBytes { checksum.add($0) }
    state.withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }

  private static func number(in bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
