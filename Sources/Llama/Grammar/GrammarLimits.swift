import AgentKit

/// The counts beyond which llama.cpp makes no grammar, or one that leaves the count out.
///
/// It refuses more than 2000 repetitions, and takes a greater maximum for none. The same goes for
/// the rules inside of an optional or repeated group. Of a list, what follows the first element is
/// repeated; if it may be empty, all of that is an optional group, with up to three more rules.
enum GrammarLimits {
  private static let repetitions = 2000
  private static let remedy = "Lower the count, or leave it out and check the value."

  /// Returns why llama.cpp cannot hold a model to a JSON Schema, or `nil` if no count is too large.
  static func problem(in schema: GeneratedContent) -> String? {
    problem(in: Part(schema: schema, path: []))
  }

  /// A part of a schema, and the names of the properties that lead to it.
  private struct Part {
    let schema: GeneratedContent
    let path: [String]
  }

  private static func problem(in part: Part) -> String? {
    guard case .structure(let fields, _) = part.schema.kind else { return nil }
    guard let own = problem(withCountsOf: fields) ?? problem(withPatternOf: fields) else {
      return parts(of: fields, at: part.path).lazy.compactMap { problem(in: $0) }.first
    }
    let path = part.path.joined(separator: ".")
    return path.isEmpty ? own : "In the property '\(path)': \(own)"
  }

  private static func parts(of fields: [String: GeneratedContent], at path: [String]) -> [Part] {
    var parts: [Part] = []
    if case .structure(let properties, let names)? = fields["properties"]?.kind {
      for name in names {
        guard let property = properties[name] else { continue }
        parts.append(Part(schema: property, path: path + [name]))
      }
    }
    for elements in ["items", "additionalProperties"].compactMap({ fields[$0] }) {
      parts.append(Part(schema: elements, path: path))
    }
    if case .array(let choices)? = fields["anyOf"]?.kind {
      parts += choices.map { Part(schema: $0, path: path) }
    }
    if case .structure(let definitions, let names)? = fields["$defs"]?.kind {
      parts += names.compactMap { definitions[$0] }.map { Part(schema: $0, path: path) }
    }
    return parts
  }

  private static func problem(withCountsOf fields: [String: GeneratedContent]) -> String? {
    let least = count(fields["minItems"]) ?? 0
    let most = count(fields["maxItems"])
    let figure = most ?? least
    let limit = least > 0 ? repetitions + 1 : repetitions - 2
    guard figure > limit else { return nil }
    return "The guides ask for \(most == nil ? "at least" : "up to") \(figure) elements, but"
      + " llama.cpp can hold a model to \(limit) at most. \(remedy)"
  }

  private static func count(_ content: GeneratedContent?) -> Int? {
    guard let content else { return nil }
    return (try? Int(content)) ?? .max
  }

  private static func problem(withPatternOf fields: [String: GeneratedContent]) -> String? {
    // Where texts are listed, they are the grammar.
    guard fields["const"] == nil, fields["enum"] == nil,
      case .string(let pattern)? = fields["pattern"]?.kind
    else { return nil }
    let figure = PatternRepetitions(pattern).most
    guard figure > repetitions else { return nil }
    return "The pattern comes to \(figure) repetitions in one place, but llama.cpp can hold a model"
      + " to \(repetitions) at most. \(remedy)"
  }
}

/// The repetitions in a pattern of the kind that a schema for llama.cpp has.
private struct PatternRepetitions {
  /// The largest number in one place: of times, or of rules in an optional or repeated group.
  private(set) var most = 0
  /// The rules in each group that is open, innermost last, without those of the last atom.
  private var open = [0]
  /// The rules for the last atom, which a repetition would apply to.
  private var atom = 0

  init(_ pattern: String) {
    var rest = pattern.unicodeScalars[...]
    while let next = rest.popFirst() {
      switch next {
      case "(":
        beginAtom()
        open.append(0)
      case ")" where open.count > 1:
        // A group is a rule itself.
        atom += open.removeLast() + 1
      case "*", "+", "?":
        most = max(most, atom)
        atom += 1
      case "{":
        repeatAtom(String(rest.prefix { $0 != "}" }))
        rest = rest.drop { $0 != "}" }.dropFirst()
      case "[":
        beginAtom()
        while let member = rest.popFirst(), member != "]" {
          if member == "\\" { rest = rest.dropFirst() }
        }
      case "\\":
        beginAtom()
        rest = rest.dropFirst()
      default: beginAtom()
      }
    }
  }

  private mutating func beginAtom() {
    open[open.count - 1] += atom
    atom = 0
  }

  /// Counts a repetition by what its braces hold, such as "2" or "2,5".
  ///
  /// What it repeats becomes a rule elsewhere.
  private mutating func repeatAtom(_ counts: String) {
    let counts = counts.split(separator: ",", omittingEmptySubsequences: false).map(Self.count)
    let least = counts[0] ?? 0
    let greatest = counts[counts.count - 1]
    most = max(most, greatest ?? least)
    // The rule elsewhere counts, too.
    atom = 1 + (greatest.map { max(0, $0 - least) } ?? 1)
  }

  private static func count(_ digits: Substring) -> Int? {
    // llama.cpp's own counts have 32 bits.
    digits.isEmpty ? nil : Int(Int32(digits) ?? .max)
  }
}

extension LanguageModelExecutorGenerationRequest {
  /// Checks that llama.cpp can hold a model to all counts in the schemas.
  ///
  /// - Throws: `LanguageModelError.unsupportedGenerationGuide`.
  func checkCounts() throws {
    for tool in enabledToolDefinitions + withheldToolDefinitions {
      try check(tool.parameters, "The tool '\(tool.name)' cannot be offered to the model.")
    }
    if let schema { try check(schema, "The answer cannot follow the schema '\(schema.name)'.") }
  }

  private func check(_ schema: GenerationSchema, _ consequence: String) throws {
    let rendered = schema.grammarSchema(keepsOrder: true) ?? schema.jsonSchema
    guard let problem = GrammarLimits.problem(in: rendered) else { return }
    throw LanguageModelError.unsupportedGenerationGuide(
      .init(schemaName: schema.name, debugDescription: "\(consequence) \(problem)")
    )
  }
}
