/// The set of characters that a pattern allows at one position.
struct ScalarSet: Equatable, Sendable {
  /// The ranges, sorted and disjoint.
  private var ranges: [ClosedRange<UInt32>] = []

  private static let highest: UInt32 = 0x10FFFF
  private static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF

  init() {}

  init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

  init(_ range: ClosedRange<Unicode.Scalar>) {
    ranges = [range.lowerBound.value...range.upperBound.value]
  }

  init(sorted ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

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

  var isEmpty: Bool { ranges.isEmpty }

  var rangeCount: Int { ranges.count }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) }
  }

  func union(_ other: ScalarSet) -> ScalarSet {
    var set = self
    set.formUnion(other)
    return set
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
    var set = ScalarSet("\u{0}"..."\u{1F}", "\""..."\"", "\\"..."\\")
    set.formUnion(ScalarSet(sorted: [surrogates]))
    return set
  }()

  private static let delete = ScalarSet("\u{7F}")
  private static let ascii = ScalarSet("\0"..."\u{7F}")

  /// The escapes of a single letter.
  private static let escapes: [(scalar: Unicode.Scalar, letter: String)] = [
    ("\"", #"""#), ("\\", #"\\"#), ("\n", "n"), ("\r", "r"), ("\t", "t"), ("\u{8}", "b"),
    ("\u{C}", "f"),
  ]

  /// The set as a pattern for text inside JSON strings, in a form for people.
  ///
  /// A negated set means ordinary text there, without anything that is escaped.
  var pattern: String {
    guard reachesEnd else { return grammar }
    let plain = subtracting(Self.escaped).subtracting(Self.delete)
    return plain.isEmpty ? grammar : plain.characterClass
  }

  /// The set as a pattern for text inside JSON strings.
  var grammar: String {
    if let only, only.isPlain { return String(only) }
    let plain = subtracting(Self.escaped)
    var choices: [String] = []
    if plain.rangeCount > Self.mostAtOnce {
      // llama.cpp goes through all ranges for each character, and most characters are of ASCII.
      choices += [plain.subtracting(Self.ascii.inverted), plain.subtracting(Self.ascii)]
        .filter { !$0.isEmpty }.map(\.characterClass)
    } else if !plain.isEmpty {
      choices.append(plain.only.map(\.inPattern) ?? plain.characterClass)
    }
    let hasClass = !choices.isEmpty
    choices += escapeSequences
    return choices.count == 1 && hasClass ? choices[0] : "(\(choices.joined(separator: "|")))"
  }

  private static let mostAtOnce = 24

  /// The ways in which JSON writes the characters of the set that it escapes.
  private var escapeSequences: [String] {
    let short = Self.escapes.filter { contains($0.scalar) }
    var choices: [String] = []
    switch short.count {
    case 0: break
    case 1: choices.append(#"\\"# + short[0].letter)
    default: choices.append(#"\\["# + short.map(\.letter).joined() + "]")
    }
    for high in UInt8(0)...1 {
      let digits = (UInt8(0)...15).filter { low in
        let scalar = Unicode.Scalar(high * 16 + low)
        return contains(scalar) && !short.contains { $0.scalar == scalar }
      }
      guard !digits.isEmpty else { continue }
      let hex = digits.map { String($0, radix: 16) }
      let letters = Set(hex + hex.map { $0.uppercased() }).sorted().joined()
      choices.append(#"\\u00"# + "\(high)[\(letters)]")
    }
    return choices
  }

  private var reachesEnd: Bool { ranges.last?.upperBound == Self.highest }

  private var characterClass: String {
    guard reachesEnd else { return "[\(Self.items(ranges))]" }
    return "[^\(Self.items(inverted.ranges))]"
  }

  private static func items(_ ranges: [ClosedRange<UInt32>]) -> String {
    ranges.map { range in
      let isCut = (surrogates.contains(range.lowerBound), surrogates.contains(range.upperBound))
      let ends = [
        isCut.0 ? surrogates.upperBound + 1 : range.lowerBound,
        isCut.1 ? surrogates.lowerBound - 1 : range.upperBound,
      ]
      guard ends[0] <= ends[1] else { return "" }
      return Array(ends[0] == ends[1] ? ends.prefix(1) : ends[...])
        .compactMap { Unicode.Scalar($0)?.inClass }.joined(separator: "-")
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
      return "\\x" + String(value, radix: 16, uppercase: true).zeroPadded(to: 2)
    }
    return String(self)
  }
}
