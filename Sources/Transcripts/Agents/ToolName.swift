/// The rule that chat-completions servers have for the names of tools.
///
/// Local models take any name: it is a text in their prompt and their grammar.
package enum ToolName {
  package static let maximumLength = 64

  package static func isAccepted(_ name: String) -> Bool {
    (1...maximumLength).contains(name.utf8.count) && name.utf8.allSatisfy(\.isNameCharacter)
  }

  /// Returns the name, or one that is accepted in its place.
  ///
  /// What had to be changed is told apart by six digits of a hash, which is the same in every process.
  package static func accepted(_ name: String) -> String {
    if isAccepted(name) { return name }
    let suffix = "_" + String(name.utf8.fnv1a % 2_176_782_336, radix: 36).zeroPadded(to: 6)
    let plain = name.utf8.map { $0.isNameCharacter ? $0 : UInt8(ascii: "_") }
    return String(decoding: plain.prefix(maximumLength - suffix.utf8.count), as: UTF8.self) + suffix
  }
}

extension Sequence<UInt8> {
  /// The 64-bit FNV-1a hash of the bytes, which is the same in every process.
  @inlinable package var fnv1a: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension UInt8 {
  /// Whether it is a letter from a to z, a digit, `_` or `-`, in ASCII.
  package var isNameCharacter: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
