/// The bounds behind guides, in terms of JSON Schema.
indirect enum GenerationConstraint: Sendable, Equatable {
  case constant(String)
  case anyOf([String])
  /// A regular expression as its author wrote it.
  case pattern(String)
  /// A regular expression that cannot be written as a pattern, and what the reason is.
  case unwrittenPattern(String)
  case minimum(JSONNumber)
  case maximum(JSONNumber)
  case minimumCount(Int)
  case maximumCount(Int)
  case element([GenerationConstraint])
}

/// An error that reports a bound that cannot be enforced.
struct UnenforceableConstraint: Error {
  let problem: String
}

extension GenerationConstraint {
  /// Why no text can be one of an empty list of choices.
  static let noChoices = "The list of choices is empty. Give at least one choice."

  init<Output>(_ regex: Regex<Output>) {
    do throws(RegexReader.Unreadable) {
      self = .pattern(try RegexReader.node(regex).text)
    } catch {
      self = .unwrittenPattern(error.construct)
    }
  }

  /// Whether a grammar needs another form of the bound than a reader does.
  var differsInGrammar: Bool {
    guard case .pattern(let pattern) = self, let terms = try? GrammarPattern.of(pattern) else {
      return false
    }
    return terms.text != terms.grammar
  }

  /// The position of the bound among others, so that a schema reads the same however it was
  /// written.
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
  ///
  /// - Parameter forGrammar: Whether a grammar is made of the schema, rather than read by a model,
  ///   a server or a person.
  func write(
    to fields: inout [(String, any ConvertibleToGeneratedContent)],
    forGrammar: Bool = false
  ) throws(UnenforceableConstraint) {
    switch self {
    case .constant(let value): fields.append(("const", value))
    case .anyOf(let values): fields.append(("enum", values))
    case .pattern(let pattern):
      let terms = try GrammarPattern.of(pattern)
      fields.append(("pattern", "^(\(forGrammar ? terms.grammar : terms.text))$"))
    case .unwrittenPattern(let construct):
      throw UnenforceableConstraint(
        problem: "The pattern cannot be enforced because of \(construct). Write it as a literal,"
          + " such as /[a-z]+/."
      )
    case .minimum(let value): fields.append(("minimum", GeneratedContent(number: value)))
    case .maximum(let value): fields.append(("maximum", GeneratedContent(number: value)))
    case .minimumCount(let count): fields.append(("minItems", count))
    case .maximumCount(let count): fields.append(("maxItems", count))
    case .element: break
    }
  }
}

extension [GenerationConstraint] {
  /// The bounds merged to one of each kind, in a fixed order.
  ///
  /// A merged bound is as tight as all the bounds it combines, except that the last of several
  /// patterns wins.
  var merged: Self {
    var merged: Self = []
    for constraint in self {
      if let index = merged.firstIndex(where: { $0.rank == constraint.rank }) {
        merged[index] = merged[index].merged(with: constraint)
      } else {
        merged.append(constraint)
      }
    }
    return merged.sorted { $0.rank < $1.rank }
  }

  /// Why no value can satisfy all the bounds, or `nil` if one may.
  var contradiction: String? {
    if let bounds = NumberBounds(self, isWhole: false), bounds.isEmpty {
      return "The minimum is greater than the maximum."
    }
    var (least, most) = (0, Int.max)
    let merged = self.merged
    for constraint in merged {
      switch constraint {
      case .minimumCount(let count): least = count
      case .maximumCount(let count): most = count
      default: break
      }
    }
    guard least <= most else {
      return "The minimum length is greater than the maximum length."
    }
    for case .constant(let text) in self where !merged.contains(.constant(text)) {
      return "No text can be equal to two different constants."
    }
    for case .constant(let text) in merged {
      for case .anyOf(let choices) in merged where !choices.contains(text) {
        return "The constant is not one of the choices."
      }
    }
    guard merged.contains(.anyOf([])) else { return nil }
    return contains(.anyOf([]))
      ? GenerationConstraint.noChoices : "The lists of choices have no text in common."
  }
}

extension GenerationConstraint {
  /// The bound that replaces two bounds of the same kind.
  fileprivate func merged(with later: Self) -> Self {
    switch (self, later) {
    case (.minimum(let one), .minimum(let other)): .minimum(max(one, other))
    case (.maximum(let one), .maximum(let other)): .maximum(min(one, other))
    case (.minimumCount(let one), .minimumCount(let other)): .minimumCount(max(one, other))
    case (.maximumCount(let one), .maximumCount(let other)): .maximumCount(min(one, other))
    case (.anyOf(let one), .anyOf(let other)): .anyOf(one.filter { other.contains($0) })
    case (.element(let one), .element(let other)): .element(one + other)
    default: later
    }
  }
}
