/// Detects bytes that were torn or changed by accident; it does not protect against intent.
struct Checksum {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds bytes by FNV-1a on eight-byte words, which runs at the speed of memory.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    for index in 0..<words {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
    }
    for byte in bytes[(words * 8)...] { mix(UInt64(byte)) }
    mix(UInt64(bytes.count))
  }

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01B3
    // Multiplication carries only upward; the high half must reach the low one.
    value ^= value >> 32
  }
}
