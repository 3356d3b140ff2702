/// A reader of the classes of characters in a regex.
struct RegexClassReader {
  private typealias Unreadable = RegexReader.Unreadable

  /// Returns the class that an atom is.
  func set(ofAtom atom: RegexPart) throws(RegexReader.Unreadable) -> RegexSet {
    let member = try member(ofAtom: atom)
    return RegexSet(text: member.text, members: member.members, isNegated: false)
  }

  /// Returns a class in brackets.
  func set(_ value: Any) throws(RegexReader.Unreadable) -> RegexSet {
    let mirror = Mirror(reflecting: value)
    guard let isInverted = mirror.descendant("isInverted") as? Bool,
      let list = mirror.descendant("members")
    else { throw Unreadable(construct: "a class of an unknown kind") }
    var text = ""
    var members: [RegexSet.Member]? = []
    for child in Mirror(reflecting: list).children {
      let next = try member(RegexPart(child.value))
      text += next.text
      if let new = next.members { members?.append(contentsOf: new) } else { members = nil }
    }
    return RegexSet(
      text: "[\(isInverted ? "^" : "")\(text)]",
      members: members,
      isNegated: isInverted
    )
  }

  /// Something between the brackets of a class.
  private struct Entry {
    let text: String
    /// What it consists of, or `nil` if only Swift's own matching can tell.
    var members: [RegexSet.Member]?
  }

  private func member(_ part: RegexPart) throws(RegexReader.Unreadable) -> Entry {
    switch (part.name, part.values.count) {
    case ("atom", 1): return try member(ofAtom: RegexPart(part.values[0]))
    case ("range", 2):
      guard let first = scalar(RegexPart(part.values[0])),
        let last = scalar(RegexPart(part.values[1])), first <= last
      else { throw Unreadable(construct: "a range of characters that are several in Unicode") }
      return Entry(
        text: "\(first.inRegexClass)-\(last.inRegexClass)",
        members: [.range(first...last)]
      )
    case ("custom", 1): return Entry(text: try set(part.values[0]).text)
    case ("quotedLiteral", 1):
      let scalars = "\(part.values[0])".unicodeScalars
      return Entry(
        text: scalars.map(\.inRegexClass).joined(),
        members: scalars.map { .range($0...$0) }
      )
    case ("trivia", 1): return Entry(text: "", members: [])
    case ("intersection", 2): return try operation("&&", part)
    case ("subtraction", 2): return try operation("--", part)
    case ("symmetricDifference", 2): return try operation("~~", part)
    default: throw Unreadable(construct: "a class with '\(part.name)'")
    }
  }

  private func operation(
    _ symbol: String,
    _ part: RegexPart
  ) throws(RegexReader.Unreadable) -> Entry {
    Entry(text: "[\(try set(part.values[0]).text)\(symbol)\(try set(part.values[1]).text)]")
  }

  private func member(ofAtom atom: RegexPart) throws(RegexReader.Unreadable) -> Entry {
    switch (atom.name, atom.values.first) {
    case ("char", _), ("scalar", _):
      guard let scalar = scalar(atom) else {
        throw Unreadable(construct: "a class with a character that is several in Unicode")
      }
      return Entry(text: scalar.inRegexClass, members: [.range(scalar...scalar)])
    case ("dot", _): return Entry(text: ".", members: [.builtin(".")])
    case ("any", _): return Entry(text: #"\p{Any}"#, members: [.range("\0"..."\u{10FFFF}")])
    case ("anyNonNewline", _): return Self.allButNewlines
    case ("characterClass", let name?): return try builtin(RegexPart(name).name)
    case ("unconverted", let atom?): return try unconverted(RegexPart.ast(of: atom))
    default: throw Unreadable(construct: "'\(atom.name)'")
    }
  }

  private static let allButNewlines = Entry(text: #"[^\n-\r\u{85}\u{2028}\u{2029}]"#)

  private func scalar(_ atom: RegexPart) -> Unicode.Scalar? {
    guard ["char", "scalar"].contains(atom.name), let value = atom.values.first else { return nil }
    let scalars = "\(value)".unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }

  private func builtin(_ name: String) throws(RegexReader.Unreadable) -> Entry {
    let letters: [String: Unicode.Scalar] = [
      "digit": "d", "horizontalWhitespace": "h", "verticalWhitespace": "v", "whitespace": "s",
      "word": "w", "notDigit": "D", "notHorizontalWhitespace": "H", "notVerticalWhitespace": "V",
      "notWhitespace": "S", "notWord": "W",
    ]
    if let letter = letters[name] { return Entry(text: "\\\(letter)", members: [.builtin(letter)]) }
    switch name {
    case "notNewline": return Self.allButNewlines
    case "anyUnicodeScalar": return Entry(text: #"\p{Any}"#, members: [.range("\0"..."\u{10FFFF}")])
    default: throw Unreadable(construct: "a class with '\(name)'")
    }
  }

  // MARK: Properties

  private func unconverted(_ atom: Any) throws(RegexReader.Unreadable) -> Entry {
    guard let kind = Mirror(reflecting: atom).descendant("kind").map(RegexPart.init),
      let value = kind.values.first
    else { throw Unreadable(construct: "'\(atom)'") }
    switch kind.name {
    case "namedCharacter": return Entry(text: "\\N{\(value)}")
    case "property":
      let mirror = Mirror(reflecting: value)
      guard let property = mirror.descendant("kind"),
        let isInverted = mirror.descendant("isInverted") as? Bool
      else { throw Unreadable(construct: "'\(atom)'") }
      let (name, isTrue) = try self.property(RegexPart(property))
      let isNegated = isInverted == isTrue
      // Options treat what is written like this, such as [:alpha:], in a way of its own.
      if mirror.descendant("isPOSIX") as? Bool == true {
        return Entry(text: "[:\(isNegated ? "^" : "")\(name):]")
      }
      return Entry(text: "\\\(isNegated ? "P" : "p"){\(name)}")
    default: throw Unreadable(construct: "'\(kind.name)'")
    }
  }

  /// Returns the name of a property, as Unicode and JSON Schema spell it, and whether characters
  /// that have it are meant.
  private func property(_ part: RegexPart) throws(RegexReader.Unreadable) -> (String, Bool) {
    let value = part.values.first.map { RegexPart($0).name }
    switch (part.name, value) {
    case ("generalCategory", let category?):
      return (Self.categories[category] ?? Self.spelled(category), true)
    case ("binary", let name?): return (Self.spelled(name), part.values.last as? Bool ?? true)
    case ("script", let script?): return ("Script=\(Self.spelled(script))", true)
    case ("scriptExtension", let script?):
      return ("Script_Extensions=\(Self.spelled(script))", true)
    case ("posix", let name?): return (name, true)
    case ("any", _), ("assigned", _): return (Self.spelled(part.name), true)
    case ("ascii", _): return ("ASCII", true)
    default: throw Unreadable(construct: "the property '\(part.name)'")
    }
  }

  /// Returns a name such as "oldItalic" in the form "Old_Italic".
  private static func spelled(_ name: String) -> String {
    let words = name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : "\($1)" }
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The short names of general categories, by their names in Swift.
  private static let categories = [
    "letter": "L", "casedLetter": "LC", "uppercaseLetter": "Lu", "lowercaseLetter": "Ll",
    "titlecaseLetter": "Lt", "modifierLetter": "Lm", "otherLetter": "Lo", "mark": "M",
    "nonspacingMark": "Mn", "spacingMark": "Mc", "enclosingMark": "Me", "number": "N",
    "decimalNumber": "Nd", "letterNumber": "Nl", "otherNumber": "No", "punctuation": "P",
    "connectorPunctuation": "Pc", "dashPunctuation": "Pd", "openPunctuation": "Ps",
    "closePunctuation": "Pe", "initialPunctuation": "Pi", "finalPunctuation": "Pf",
    "otherPunctuation": "Po", "symbol": "S", "mathSymbol": "Sm", "currencySymbol": "Sc",
    "modifierSymbol": "Sk", "otherSymbol": "So", "separator": "Z", "spaceSeparator": "Zs",
    "lineSeparator": "Zl", "paragraphSeparator": "Zp", "other": "C", "control": "Cc",
    "format": "Cf", "surrogate": "Cs", "privateUse": "Co", "unassigned": "Cn",
  ]
}
