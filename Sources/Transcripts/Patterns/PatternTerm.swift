/// A part of a pattern that a grammar can have, or that adds nothing because of where it stands.
indirect enum PatternTerm: Sendable {
  case one(PatternSet)
  case sequence([PatternTerm])
  case choice([PatternTerm])
  case group(PatternTerm)
  case repetition(PatternTerm, RegexNode.Count)
  /// Something without width, which must stand at one of the ends.
  case anchor(String)

  /// The reason why a grammar cannot be made.
  struct Refusal: Error { let what: String }

  init(_ node: RegexNode) throws(Refusal) {
    var options = RegexOptions()
    self = try Self.term(node, &options)
    try checkAnchors(isFirst: true, isLast: true)
  }

  /// Returns the term for a node, after which other options may apply.
  private static func term(
    _ node: RegexNode,
    _ options: inout RegexOptions
  ) throws(Refusal) -> PatternTerm {
    switch node {
    case .literal(let text):
      let (scalars, current) = (Array(text.unicodeScalars), options)
      return scalars.count == 1
        ? .one(PatternSet(scalars[0], current))
        : .sequence(scalars.map { .one(PatternSet($0, current)) })
    case .set(let set): return .one(try PatternSet(set, options))
    case .sequence(let nodes): return .sequence(try terms(nodes, &options))
    case .choice(let nodes): return .choice(try terms(nodes, &options))
    case .group(let opening, let node):
      guard opening == "(" || opening == "(?:" || opening.hasSuffix(">") && opening != "(?>" else {
        throw Refusal(what: "'\(opening)\(node.text))'")
      }
      var inner = options
      return .group(try term(node, &inner))
    case .changed(let change, let node):
      var inner = options.applying(change)
      return .group(try term(node, &inner))
    case .change(let change):
      options = options.applying(change)
      return .sequence([])
    case .repetition(_, let count, .possessive):
      throw Refusal(what: "the possessive '\(count.text)+'")
    case .repetition(let node, let count, _):
      return .repetition(try term(node, &options), count)
    case .special(let text): return try special(text, options)
    }
  }

  private static func terms(
    _ nodes: [RegexNode],
    _ options: inout RegexOptions
  ) throws(Refusal) -> [PatternTerm] {
    var terms: [PatternTerm] = []
    for node in nodes { terms.append(try term(node, &options)) }
    return terms
  }

  private static func special(
    _ text: String,
    _ options: RegexOptions
  ) throws(Refusal) -> PatternTerm {
    switch text {
    // Without the simple kind of boundaries, there is one at either end of any text.
    case #"\b"# where !options.hasSimpleBoundaries: return .anchor(text)
    case #"\b"#: throw Refusal(what: "'\\b' with simple word boundaries")
    case "^", "(?m:^)", #"\A"#, "$", "(?m:$)", #"\z"#, #"\Z"#: return .anchor(text)
    case #"\R"#:
      let pair = ["\r", "\n"].map { PatternTerm.one(PatternSet($0 as Unicode.Scalar, .init())) }
      let newline = PatternSet(.newlines)
      return .group(.choice([.sequence(pair), .one(newline)]))
    default: throw Refusal(what: "'\(text)'")
    }
  }
}

// MARK: Places

extension PatternTerm {
  private var isEmpty: Bool {
    switch self {
    case .one: false
    case .sequence(let terms), .choice(let terms): terms.allSatisfy(\.isEmpty)
    case .group(let term), .repetition(let term, _): term.isEmpty
    case .anchor: true
    }
  }

  private func checkAnchors(isFirst: Bool, isLast: Bool) throws(Refusal) {
    switch self {
    case .one: break
    case .sequence(let terms):
      let first = terms.firstIndex { !$0.isEmpty } ?? terms.count - 1
      let last = terms.lastIndex { !$0.isEmpty } ?? 0
      for (index, term) in terms.enumerated() {
        try term.checkAnchors(
          isFirst: isFirst && index <= first,
          isLast: isLast && index >= last
        )
      }
    case .choice(let terms):
      for term in terms { try term.checkAnchors(isFirst: isFirst, isLast: isLast) }
    case .group(let term): try term.checkAnchors(isFirst: isFirst, isLast: isLast)
    case .repetition(let term, _): try term.checkAnchors(isFirst: false, isLast: false)
    case .anchor(let text):
      let fits =
        switch text {
        case #"\b"#: isFirst || isLast
        case "^", "(?m:^)", #"\A"#: isFirst
        default: isLast
        }
      guard fits else { throw Refusal(what: "'\(text)' in the middle") }
    }
  }
}

// MARK: As text

extension PatternTerm {
  /// Returns the term as a pattern for llama.cpp, with one of the two forms of its sets.
  func text(_ form: KeyPath<PatternSet, String>) -> String {
    switch self {
    case .one(let set): return set[keyPath: form]
    case .sequence(let terms):
      return terms.map { term in
        if case .choice = term { "(\(term.text(form)))" } else { term.text(form) }
      }.joined()
    case .choice(let terms): return terms.map { $0.text(form) }.joined(separator: "|")
    case .group(let term): return term.isEmpty ? "" : "(\(term.text(form)))"
    case .repetition(let term, let count):
      let atom = term.text(form)
      return atom.isEmpty
        ? "" : term.isRepeatable(atom) ? atom + count.text : "(\(atom))\(count.text)"
    case .anchor: return ""
    }
  }

  /// Whether a repetition applies to a text as a whole, and to nothing else.
  ///
  /// llama.cpp repeats an escaped character with the letter before it, and of a character of
  /// several bytes only the last one.
  private func isRepeatable(_ text: String) -> Bool {
    switch self {
    case .one:
      text.utf8.count == 1 || text.hasPrefix("(") || text.hasPrefix("[")
        || text.lowercased().hasPrefix(#"\p{"#)
    case .group: true
    case .sequence, .choice, .repetition, .anchor: false
    }
  }
}

/// What one character of a pattern can be.
struct PatternSet: Sendable {
  let scalars: ScalarSet
  /// The set in a pattern that people and models read.
  let shown: String
  /// The set in a pattern that is made into a grammar.
  var grammar: String { scalars.grammar }

  /// The number of ranges beyond which a class is shown by its name.
  private static let mostShown = 24

  init(_ scalars: ScalarSet) {
    self.scalars = scalars
    shown = scalars.pattern
  }

  init(_ scalar: Unicode.Scalar, _ options: RegexOptions) {
    self.init(options.ignoresCase ? .caseVariants(of: scalar) : ScalarSet(scalar))
  }

  init(_ set: RegexSet, _ options: RegexOptions) throws(PatternTerm.Refusal) {
    if let members = set.members, options.ofClasses.isEmpty {
      scalars = ScalarSet(members, isNegated: set.isNegated, inASCII: false)
      shown = ScalarSet(members, isNegated: set.isNegated, inASCII: true).pattern
    } else {
      scalars = try .matched(by: set.text, options: options.ofClasses)
      shown = scalars.rangeCount > Self.mostShown ? set.text : scalars.pattern
    }
    guard !scalars.isEmpty else {
      throw PatternTerm.Refusal(what: "'\(set.text)', which matches nothing")
    }
  }
}
