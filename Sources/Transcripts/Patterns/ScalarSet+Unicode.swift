import Synchronization

// The sets that depend on Unicode's data. The standard library tells a scalar's properties, but has
// no lists of scalars, so each set is found by asking about every scalar, once a process.

extension ScalarSet {
  private static let word = having { $0.isAlphabetic }.union(.wordCharacters)
  private static let spaces = having { $0.isWhitespace }
  private static let horizontalSpaces = having { $0.generalCategory == .spaceSeparator }
    .union(ScalarSet("\t"))
  static let newlines = ScalarSet("\n"..."\r").union(ScalarSet("\u{85}"))
    .union(ScalarSet("\u{2028}"..."\u{2029}"))

  /// Creates the set of a class's members.
  ///
  /// - Parameter inASCII: Whether the members that have a letter, such as `\w`, have only the
  ///   characters of ASCII. Digits always do.
  init(_ members: [RegexSet.Member], isNegated: Bool, inASCII: Bool) {
    let set = members.reduce(ScalarSet()) { set, member in
      switch member {
      case .range(let range): set.union(ScalarSet(range))
      case .builtin(let letter): set.union(Self.builtin(letter, inASCII: inASCII))
      }
    }
    self = isNegated ? set.inverted : set
  }

  private static func builtin(_ letter: Unicode.Scalar, inASCII: Bool) -> ScalarSet {
    switch letter {
    case "d": digits
    case "w": inASCII ? wordCharacters : word
    case "s": inASCII ? whiteSpace : spaces
    case "h": inASCII ? ScalarSet("\t").union(ScalarSet(" ")) : horizontalSpaces
    case "v": inASCII ? ScalarSet("\n"..."\r") : newlines
    case ".": inASCII ? allButLineEnds : newlines.inverted
    default:
      builtin(letter.properties.lowercaseMapping.unicodeScalars.first ?? "d", inASCII: inASCII)
        .inverted
    }
  }

  /// The characters that match a letter where case is ignored.
  ///
  /// For a letter of ASCII these do not include the Kelvin sign, which Swift 6.3 takes for a "k" that
  /// stands alone, but not for one that is repeated.
  static func caseVariants(of scalar: Unicode.Scalar) -> ScalarSet {
    (byLowercase[scalar.properties.lowercaseMapping] ?? [])
      .filter { $0.isASCII || !scalar.isASCII }
      .reduce(ScalarSet(scalar)) { $0.union(ScalarSet($1)) }
  }

  private static let byLowercase: [String: [Unicode.Scalar]] = {
    let letters = all.filter {
      $0.properties.changesWhenLowercased || $0.properties.isLowercase
    }
    return Dictionary(grouping: letters, by: \.properties.lowercaseMapping).filter { $1.count > 1 }
  }()

  private static func having(_ property: (Unicode.Scalar.Properties) -> Bool) -> ScalarSet {
    ScalarSet(all.filter { property($0.properties) })
  }
}

// MARK: Asking about every scalar

extension ScalarSet {
  /// The ranges in which Unicode assigns scalars one by one.
  private static let (planes, tags) = (UInt32(0)...0x3FFFF, UInt32(0xE0000)...0xE0FFF)

  /// The other scalars, in ranges of which all have the same properties.
  private static let uniform: [ClosedRange<UInt32>] = (4...16).flatMap { plane in
    let start = UInt32(plane) << 16
    let first = start == tags.lowerBound ? tags.upperBound + 1 : start
    return [first...start + 0xFFFD, start + 0xFFFE...start + 0xFFFF]
  }

  /// The scalars to ask about, in order: one of each uniform range, and all others.
  private static var all: [Unicode.Scalar] {
    let lowest = uniform.map(\.lowerBound)
    let values =
      Array(planes) + lowest.filter { $0 < tags.lowerBound } + Array(tags)
      + lowest.filter { $0 > tags.upperBound }
    return values.compactMap(Unicode.Scalar.init)
  }

  /// Creates the set of scalars of which these are all that were asked about.
  private init(_ found: some Sequence<Unicode.Scalar>) {
    var ranges: [ClosedRange<UInt32>] = []
    for scalar in found {
      let whole = Self.uniform.first { $0.lowerBound == scalar.value }
      let range = whole ?? scalar.value...scalar.value
      if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      } else {
        ranges.append(range)
      }
    }
    self.init(sorted: ranges)
  }

  private struct Question: Hashable { let text, options: String }
  private static let answers = Mutex<[Question: ScalarSet]>([:])

  /// Returns the characters of which Swift's own matching says that they match a class.
  static func matched(
    by text: String,
    options: String
  ) throws(PatternTerm.Refusal) -> ScalarSet {
    let question = Question(text: text, options: options)
    if let known = answers.withLock({ $0[question] }) { return known }
    guard let regex = try? Regex("(?D\(options):\(text))+") else {
      throw PatternTerm.Refusal(what: "'\(text)'")
    }
    var everything = String.UnicodeScalarView()
    everything.append(contentsOf: all)
    let matches = String(everything).matches(of: regex.matchingSemantics(.unicodeScalar))
    let set = ScalarSet(matches.lazy.flatMap { everything[$0.range] })
    answers.withLock {
      if $0.count >= 64 { $0 = [:] }
      $0[question] = set
    }
    return set
  }
}
