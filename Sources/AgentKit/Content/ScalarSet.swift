/// A set of characters that a pattern allows in one place.
struct ScalarSet {
  /// Sorted, and apart from each other.
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

  /// The one character, where there is just one.
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
  /// What cannot stand in a JSON string as it is, and surrogates, which are no characters.
  private static let escaped: ScalarSet = {
    var set = ScalarSet("\u{0}"..."\u{1F}", "\""..."\"", "\\"..."\\", "\u{7F}"..."\u{7F}")
    set.ranges.append(surrogates)
    return set
  }()

  private static let escapes: [(Unicode.Scalar, String)] = [
    ("\"", #"\\""#), ("\\", #"\\\\"#), ("\n", #"\\n"#), ("\r", #"\\r"#), ("\t", #"\\t"#),
  ]

  /// The set as a pattern of texts inside JSON strings.
  var pattern: String {
    if let only, only.isPlain { return String(only) }
    let plain = subtracting(Self.escaped)
    // A set that names nothing special is a class of characters; one that does not even exclude
    // much is written as what it excludes.
    var choices: [String] = []
    if !plain.ranges.isEmpty {
      choices.append(plain.only.map(\.inPattern) ?? plain.characterClass)
    }
    // Who says "anything but" means texts as people write them, which need no escapes.
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
  /// Whether it means itself everywhere in a pattern.
  fileprivate var isPlain: Bool {
    ScalarSet.wordCharacters.contains(self) || " ,;:!@#%&'=<>/~`-".unicodeScalars.contains(self)
      || value > 0x7F
  }

  /// The character where a pattern expects one.
  fileprivate var inPattern: String { isPlain ? String(self) : "\\\(self)" }

  /// The character inside the brackets of a class.
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
