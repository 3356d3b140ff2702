/// The set of characters that a pattern allows at one position.
struct ScalarSet {
  /// The ranges, sorted and disjoint.
  private var ranges: [ClosedRange<UInt32>] = []

  private static let highest: UInt32 = 0x10FFFF
  private static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF

  init() {}

  init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

  init(_ range: ClosedRange<Unicode.Scalar>) {
    ranges = [range.lowerBound.value...range.upperBound.value]
  }

  private init(_ ranges: ClosedRange<Unicode.Scalar>...) {
    for range in ranges { formUnion(ScalarSet(range)) }
  }

  static let digits = ScalarSet("0"..."9")
  static let wordCharacters = ScalarSet("0"..."9", "A"..."Z", "_"..."_", "a"..."z")
  static let whiteSpace = ScalarSet("\t"..."\r", " "..." ")
  static let allButLineEnds = ScalarSet("\n"..."\n", "\r"..."\r").inverted

  /// The only character of the set, or `nil` if it does not have exactly one.
  var only: Unicode.Scalar? {
    guard ranges.count == 1, ranges[0].count == 1 else { return nil }
    return Unicode.Scalar(ranges[0].lowerBound)
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) }
  }

  mutating func formUnion(_ other: ScalarSet) {
    var merged: [ClosedRange<UInt32>] = []
    for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  var inverted: ScalarSet {
    var result = ScalarSet()
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.ranges.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= Self.highest { result.ranges.append(next...Self.highest) }
    return result
  }

  func subtracting(_ other: ScalarSet) -> ScalarSet {
    var both = inverted
    both.formUnion(other)
    return both.inverted
  }
}

// MARK: In a grammar

extension ScalarSet {
  /// The characters that a JSON string must escape, and the surrogates, which are not characters.
  private static let escaped: ScalarSet = {
    var set = ScalarSet("\u{0}"..."\u{1F}", "\""..."\"", "\\"..."\\", "\u{7F}"..."\u{7F}")
    set.ranges.append(surrogates)
    return set
  }()

  private static let escapes: [(Unicode.Scalar, String)] = [
    ("\"", #"\\""#), ("\\", #"\\\\"#), ("\n", #"\\n"#), ("\r", #"\\r"#), ("\t", #"\\t"#),
  ]

  /// The set as a pattern for text inside JSON strings.
  var pattern: String {
    if let only, only.isPlain { return String(only) }
    let plain = subtracting(Self.escaped)
    // Unescaped characters form a character class, which is written negated if the set reaches the
    // last code point.
    var choices: [String] = []
    if !plain.ranges.isEmpty {
      choices.append(plain.only.map(\.inPattern) ?? plain.characterClass)
    }
    // A negated set means ordinary text, which needs no escapes.
    if !reachesEnd {
      choices += Self.escapes.filter { contains($0.0) }.map(\.1)
    }
    return choices.count == 1 && !plain.ranges.isEmpty
      ? choices[0] : "(\(choices.joined(separator: "|")))"
  }

  private var reachesEnd: Bool { ranges.last?.upperBound == Self.highest }

  private var characterClass: String {
    guard reachesEnd else { return "[\(Self.items(ranges))]" }
    return "[^\(Self.items(inverted.ranges.filter { $0 != Self.surrogates }))]"
  }

  private static func items(_ ranges: [ClosedRange<UInt32>]) -> String {
    ranges.map { range in
      let ends = [range.lowerBound, range.upperBound].compactMap { Unicode.Scalar($0)?.inClass }
      return range.count == 1 ? ends[0] : ends.joined(separator: "-")
    }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether the character stands for itself everywhere in a pattern.
  fileprivate var isPlain: Bool {
    ScalarSet.wordCharacters.contains(self) || " ,;:!@#%&'=<>/~`-".unicodeScalars.contains(self)
      || value > 0x7F
  }

  /// The character as written in a pattern.
  fileprivate var inPattern: String { isPlain ? String(self) : "\\\(self)" }

  /// The character as written inside a bracketed class.
  fileprivate var inClass: String {
    switch self {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case "[", "]", "\\", "-": return "\\\(self)"
    default: break
    }
    if value < 0x20 || value == 0x7F || self == "^" {
      let digits = String(value, radix: 16, uppercase: true)
      return "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
    }
    return String(self)
  }
}
