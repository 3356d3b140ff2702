/// A reader of the parts that a regex consists of, whether it was written as a literal, as a string
/// or in code.
///
/// Swift offers no such view. The text that its `_literalPattern` makes of a regex says something
/// else where alternatives, written in code, stand beside something, and where a class names a
/// script. So this follows the parts by reflection, and refuses what it does not know by name.
struct RegexReader {
  /// The reason why a regex cannot be read.
  struct Unreadable: Error { let construct: String }

  static func node<Output>(_ regex: Regex<Output>) throws(Unreadable) -> RegexNode {
    guard let root = Mirror(reflecting: regex).descendant("program", "tree", "root") else {
      throw Unreadable(construct: "the way this version of Swift represents it")
    }
    return try RegexReader().node(root)
  }

  private func node(_ value: Any) throws(Unreadable) -> RegexNode {
    let part = RegexPart(value)
    switch (part.name, part.values.count) {
    case ("concatenation", 1): return .sequence(try nodes(part.values[0]))
    case ("orderedChoice", 1): return .choice(try nodes(part.values[0]))
    case ("ignoreCapturesInTypedOutput", 1), ("limitCaptureNesting", 1),
      ("convertedRegexLiteral", 2):
      return try node(part.values[0])
    case ("capture", 4): return try capture(part.values)
    case ("nonCapturingGroup", 2): return try group(part.values[0], try node(part.values[1]))
    case ("quantification", 3): return try repetition(part.values)
    case ("customCharacterClass", 1): return .set(try set(part.values[0]))
    case ("quotedLiteral", 1): return .literal("\(part.values[0])")
    case ("atom", 1): return try atom(RegexPart(part.values[0]))
    case ("trivia", 1), ("empty", 0): return .sequence([])
    case ("consumer", _), ("matcher", _), ("characterPredicate", _), ("custom", _):
      throw Unreadable(construct: "a component whose matching is code")
    default: throw Unreadable(construct: "'\(part.name)'")
    }
  }

  private func nodes(_ list: Any) throws(Unreadable) -> [RegexNode] {
    var nodes: [RegexNode] = []
    for child in Mirror(reflecting: list).children { nodes.append(try node(child.value)) }
    return nodes
  }

  private func capture(_ values: [Any]) throws(Unreadable) -> RegexNode {
    if let transform = RegexPart.unwrapped(values[3]) {
      let closure = Mirror(reflecting: transform).descendant("closure").map { RegexPart($0).name }
      // A transform that cannot fail does not affect what matches.
      guard let closure, closure.lowercased().hasSuffix("nonfailable") else {
        throw Unreadable(construct: "a capture whose closure decides what matches")
      }
    }
    let name = RegexPart.unwrapped(values[0]).map { "?<\($0)>" } ?? ""
    return .group(opening: "(\(name)", try node(values[2]))
  }

  private func group(_ kind: Any, _ node: RegexNode) throws(Unreadable) -> RegexNode {
    let part = RegexPart(RegexPart.ast(of: kind))
    switch part.name {
    case "nonCapture": return .group(opening: "(?:", node)
    case "lookahead": return .group(opening: "(?=", node)
    case "negativeLookahead": return .group(opening: "(?!", node)
    case "lookbehind": return .group(opening: "(?<=", node)
    case "negativeLookbehind": return .group(opening: "(?<!", node)
    case "atomicNonCapturing": return .group(opening: "(?>", node)
    case "changeMatchingOptions" where part.values.count == 1:
      return .changed(try change(part.values[0]), node)
    default: throw Unreadable(construct: "a group of the kind '\(part.name)'")
    }
  }

  private func change(_ sequence: Any) throws(Unreadable) -> RegexOptions.Change {
    let mirror = Mirror(reflecting: sequence)
    func names(_ field: String) -> [String] {
      let options = mirror.descendant(field).map { Array(Mirror(reflecting: $0).children) } ?? []
      return options.map { option in
        let kind = Mirror(reflecting: option.value).descendant("kind")
        return kind.map { RegexPart($0).name } ?? "?"
      }
    }
    if mirror.descendant("caretLoc").flatMap(RegexPart.unwrapped) != nil {
      throw Unreadable(construct: "the option '^'")
    }
    do throws(RegexOptions.Change.UnknownName) {
      return try RegexOptions.Change(adding: names("adding"), removing: names("removing"))
    } catch {
      throw Unreadable(construct: "the option '\(error.name)'")
    }
  }

  private func repetition(_ values: [Any]) throws(Unreadable) -> RegexNode {
    let amount = RegexPart(RegexPart.ast(of: values[0]))
    let numbers = amount.values.map { value in
      Mirror(reflecting: value).descendant("value").flatMap(RegexPart.unwrapped) as? Int
    }
    let count: RegexNode.Count
    switch (amount.name, numbers.first ?? nil, numbers.last ?? nil) {
    case ("zeroOrMore", _, _): count = .init(least: 0, most: nil)
    case ("oneOrMore", _, _): count = .init(least: 1, most: nil)
    case ("zeroOrOne", _, _): count = .init(least: 0, most: 1)
    case ("exactly", let number?, _): count = .init(least: number, most: number)
    case ("nOrMore", let number?, _): count = .init(least: number, most: nil)
    case ("upToN", let number?, _): count = .init(least: 0, most: number)
    case ("range", let least?, let most?): count = .init(least: least, most: most)
    default: throw Unreadable(construct: "a repetition of the kind '\(amount.name)'")
    }
    return .repetition(try node(values[2]), count: count, kind: try kind(values[1]))
  }

  private func kind(_ value: Any) throws(Unreadable) -> RegexNode.Kind {
    let part = RegexPart(value)
    guard let explicit = part.values.first else { return .eager }
    switch RegexPart(RegexPart.ast(of: explicit)).name {
    case "eager": return .eager
    case "reluctant": return .reluctant
    case "possessive": return .possessive
    case let name: throw Unreadable(construct: "a repetition of the kind '\(name)'")
    }
  }
}

// MARK: Atoms

extension RegexReader {
  private func atom(_ atom: RegexPart) throws(Unreadable) -> RegexNode {
    switch (atom.name, atom.values.first) {
    case ("char", let character?), ("scalar", let character?): return .literal("\(character)")
    case ("changeMatchingOptions", let sequence?):
      return .change(try change(RegexPart.ast(of: sequence)))
    case ("assertion", let assertion?): return .special(try anchor(RegexPart(assertion).name))
    case ("backreference", let reference?): return .special(try backreference(reference))
    case ("symbolicReference", _): throw Unreadable(construct: "a reference to a capture")
    case ("characterClass", let part?) where RegexPart(part).name == "newlineSequence":
      return .special(#"\R"#)
    case ("characterClass", let part?) where RegexPart(part).name == "anyGrapheme":
      return .special(#"\X"#)
    default: return .set(try RegexClassReader().set(ofAtom: atom))
    }
  }

  private func set(_ value: Any) throws(Unreadable) -> RegexSet {
    try RegexClassReader().set(value)
  }

  private func anchor(_ name: String) throws(Unreadable) -> String {
    switch name {
    case "caretAnchor": "^"
    case "dollarAnchor": "$"
    case "startOfLine": "(?m:^)"
    case "endOfLine": "(?m:$)"
    case "startOfSubject": #"\A"#
    case "endOfSubject": #"\z"#
    case "endOfSubjectBeforeNewline": #"\Z"#
    case "wordBoundary": #"\b"#
    case "notWordBoundary": #"\B"#
    case "textSegment": #"\y"#
    case "notTextSegment": #"\Y"#
    case "firstMatchingPositionInSubject": #"\G"#
    default: throw Unreadable(construct: "the anchor '\(name)'")
    }
  }

  private func backreference(_ value: Any) throws(Unreadable) -> String {
    let kind = Mirror(reflecting: RegexPart.ast(of: value)).descendant("kind").map(RegexPart.init)
    let number = kind?.values.first.flatMap { value in
      Mirror(reflecting: value).descendant("value").flatMap(RegexPart.unwrapped) as? Int
    }
    guard kind?.name == "absolute", let number else {
      throw Unreadable(construct: "a reference to a capture")
    }
    return "\\\(number)"
  }
}

/// A value of an enum, taken apart.
struct RegexPart {
  let name: String
  let values: [Any]

  init(_ value: Any) {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, let child = mirror.children.first, let label = child.label
    else {
      name = String("\(value)".split(separator: ".").last ?? "")
      values = []
      return
    }
    name = label
    let payload = Mirror(reflecting: child.value)
    values = payload.displayStyle == .tuple ? payload.children.map(\.value) : [child.value]
  }

  /// The value that one of the standard library's structures wraps.
  static func ast(of value: Any) -> Any { Mirror(reflecting: value).descendant("ast") ?? value }

  static func unwrapped(_ optional: Any) -> Any? {
    let mirror = Mirror(reflecting: optional)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : optional
  }
}
