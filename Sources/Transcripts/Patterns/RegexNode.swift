/// A part of a regular expression, in the terms of Swift's own syntax.
indirect enum RegexNode {
  /// Characters that stand for themselves.
  case literal(String)
  /// One of many characters.
  case set(RegexSet)
  case sequence([RegexNode])
  case choice([RegexNode])
  /// A group, with what opens it, such as "(" or "(?:".
  case group(opening: String, RegexNode)
  /// A group in which matching options differ.
  case changed(RegexOptions.Change, RegexNode)
  /// A change of matching options up to the end of the group.
  case change(RegexOptions.Change)
  case repetition(RegexNode, count: Count, kind: Kind)
  /// Something that has no width, such as "^", or that is not a single character, such as "\R".
  case special(String)

  struct Count: Equatable {
    let least: Int
    /// The greatest number of times, or `nil` if there is none.
    let most: Int?
  }

  /// How much a repetition takes before what follows it is tried, and whether it gives back.
  enum Kind: String { case eager = "", reluctant = "?", possessive = "+" }
}

/// A class of characters.
struct RegexSet {
  /// The class in Swift's syntax.
  let text: String
  /// What the class consists of, or `nil` if only Swift's own matching can tell.
  let members: [Member]?
  let isNegated: Bool

  enum Member {
    case range(ClosedRange<Unicode.Scalar>)
    /// A class that has a letter, such as "d" for digits.
    case builtin(Unicode.Scalar)
  }
}

// MARK: Matching options

/// The matching options that affect which characters match.
struct RegexOptions: Hashable {
  private(set) var letters: Set<Character> = []

  /// A change of options, such as the "i-s" of "(?i-s)".
  struct Change {
    /// The letters of options, by their names in Swift's parser.
    private static let known: [String: Character] = [
      "caseInsensitive": "i", "multiline": "m", "singleLine": "s", "asciiOnlyDigit": "D",
      "asciiOnlySpace": "S", "asciiOnlyWord": "W", "asciiOnlyPOSIXProps": "P",
      "unicodeScalarSemantics": "u", "unicodeWordBoundaries": "w", "namedCapturesOnly": "n",
      "reluctantByDefault": "U",
    ]
    /// Options that concern how a pattern is written, which no longer matters once it is read.
    private static let unneeded: Set = ["extended", "extraExtended", "allowDuplicateGroupNames"]

    private(set) var adding: [Character] = []
    private(set) var removing: [Character] = []

    /// Creates a change from the options' names, unless one of them is not known.
    ///
    /// - Throws: The name that is not known.
    init(adding: [String], removing: [String]) throws(UnknownName) {
      self.adding = try Self.letters(of: adding)
      self.removing = try Self.letters(of: removing)
    }

    struct UnknownName: Error { let name: String }

    private static func letters(of names: [String]) throws(UnknownName) -> [Character] {
      var letters: [Character] = []
      for name in names where !unneeded.contains(name) {
        guard let letter = known[name] else { throw UnknownName(name: name) }
        letters.append(letter)
      }
      return letters
    }

    var text: String { String(adding) + (removing.isEmpty ? "" : "-" + String(removing)) }
  }

  func applying(_ change: Change) -> RegexOptions {
    var options = self
    options.letters.formUnion(change.adding)
    options.letters.subtract(change.removing)
    if change.adding.contains("w") { options.hasSimpleBoundaries = false }
    if change.removing.contains("w") { options.hasSimpleBoundaries = true }
    return options
  }

  /// Whether a boundary of words is between a character of `\w` and another one, rather than where
  /// Unicode says.
  private(set) var hasSimpleBoundaries = false

  /// Whether letters match in both cases.
  var ignoresCase: Bool { letters.contains("i") }

  /// The options that decide which characters a class has, in a fixed order.
  var ofClasses: String { String("iDPSWs".filter(letters.contains)) }
}

// MARK: As text

extension RegexNode {
  /// The node in Swift's syntax for regular expressions.
  var text: String {
    switch self {
    case .literal(let text): text.unicodeScalars.map(\.inRegex).joined()
    case .set(let set): set.text
    case .sequence(let nodes):
      nodes.map { if case .choice = $0 { "(?:\($0.text))" } else { $0.text } }.joined()
    case .choice(let nodes): nodes.map(\.text).joined(separator: "|")
    case .group(let opening, let node): "\(opening)\(node.text))"
    case .changed(let change, let node):
      change.text.isEmpty ? "(?:\(node.text))" : "(?\(change.text):\(node.text))"
    case .change(let change): change.text.isEmpty ? "" : "(?\(change.text))"
    case .repetition(let node, let count, let kind):
      (node.isAtom ? node.text : "(?:\(node.text))") + count.text + kind.rawValue
    case .special(let text): text
    }
  }

  /// Whether a repetition that follows the text applies to all of it, and to nothing else.
  private var isAtom: Bool {
    switch self {
    case .literal(let text): text.unicodeScalars.count == 1
    case .set, .group, .changed, .special: true
    case .sequence, .choice, .change, .repetition: false
    }
  }
}

extension RegexNode.Count {
  /// The count as it follows what is repeated, in Swift's syntax and in llama.cpp's.
  var text: String {
    switch (least, most) {
    case (0, nil): "*"
    case (1, nil): "+"
    case (0, 1): "?"
    case (_, least): "{\(least)}"
    case (_, let most): "{\(least),\(most.map(String.init) ?? "")}"
    }
  }
}

extension Unicode.Scalar {
  /// The character as it stands for itself in a regex.
  var inRegex: String { escaped(beside: "\\.[](){}*+?^$|") }

  /// The character as it stands for itself between the brackets of a class.
  var inRegexClass: String { escaped(beside: "\\[]^-&~") }

  private func escaped(beside special: String) -> String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case _ where special.unicodeScalars.contains(self): "\\\(self)"
    case _ where isUnseen: "\\u{\(String(value, radix: 16, uppercase: true))}"
    default: String(self)
    }
  }

  /// Whether the character joins its neighbor, or cannot be seen.
  private var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .format, .unassigned, .privateUse, .surrogate, .lineSeparator,
      .paragraphSeparator, .nonspacingMark, .spacingMark, .enclosingMark:
      true
    case .spaceSeparator: self != " "
    default: properties.isVariationSelector
    }
  }
}
