/// The bounds behind guides, in the terms of JSON Schema.
indirect enum GenerationConstraint: Sendable, Equatable {
  case constant(String)
  case anyOf([String])
  /// A regular expression as its author wrote it.
  case pattern(String)
  /// A regular expression that exists only as code.
  case unwrittenPattern
  case minimum(Double)
  case maximum(Double)
  case minimumCount(Int)
  case maximumCount(Int)
  case element([GenerationConstraint])
}

/// A bound that nothing can be held to.
struct UnenforceableConstraint: Error {
  let problem: String
}

extension GenerationConstraint {
  init<Output>(_ regex: Regex<Output>) {
    // The text of a regex is underscored in the standard library; there is no other way to it.
    self = regex._literalPattern.map { .pattern($0) } ?? .unwrittenPattern
  }

  /// The place of the bound among others, so that a schema reads the same however it was written.
  fileprivate var rank: Int {
    switch self {
    case .constant: 0
    case .anyOf: 1
    case .pattern, .unwrittenPattern: 2
    case .minimum: 3
    case .maximum: 4
    case .element: 5
    case .minimumCount: 6
    case .maximumCount: 7
    }
  }

  /// Adds the bound to the fields of a JSON Schema.
  func write(
    to fields: inout [(String, any ConvertibleToGeneratedContent)]
  ) throws(UnenforceableConstraint) {
    switch self {
    case .constant(let value): fields.append(("const", value))
    case .anyOf(let values): fields.append(("enum", values))
    case .pattern(let pattern):
      fields.append(("pattern", "^(\(try GrammarPattern(pattern).text))$"))
    case .unwrittenPattern:
      throw UnenforceableConstraint(
        problem: "A pattern must be written as a literal for a model to be held to it."
      )
    case .minimum(let value): fields.append(("minimum", value))
    case .maximum(let value): fields.append(("maximum", value))
    case .minimumCount(let count): fields.append(("minItems", count))
    case .maximumCount(let count): fields.append(("maxItems", count))
    case .element: break
    }
  }
}

extension [GenerationConstraint] {
  /// The bounds in one fixed order.
  var sorted: Self { sorted { $0.rank < $1.rank } }
}
