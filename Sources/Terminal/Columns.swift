// The width of text on a terminal.

extension String {
  /// How many columns the text takes.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Returns the beginning that takes so many columns at most.
  func prefix(columns: Int) -> String {
    var left = columns
    return String(
      prefix { character in
        left -= character.columns
        return left >= 0
      }
    )
  }
}

extension Character {
  fileprivate var columns: Int {
    // A multi-scalar emoji and a multi-letter syllable are as wide as their first scalar.
    if let first = unicodeScalars.first, first.isWide { return 2 }
    return unicodeScalars.count { !$0.isCombining }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is drawn over the preceding one.
  fileprivate var isCombining: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  fileprivate var isWide: Bool {
    properties.isEmojiPresentation || Self.eastAsianWide.contains { $0.contains(value) }
  }

  /// The blocks whose East_Asian_Width is Wide or Fullwidth, which Swift does not expose.
  private static let eastAsianWide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
    0x20000...0x3FFFD,
  ]
}
