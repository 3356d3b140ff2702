extension JSONSchema {
  /// Returns how content violates the schema, in words for the model, or `nil` if it conforms.
  ///
  /// It checks the keywords that authors use; others, references that lead out of the document, and
  /// patterns that might take long to match, demand nothing. The same holds for what remains of a
  /// schema after many steps: documents come from outside, and bound their own check in no way.
  package func violation(by content: GeneratedContent) -> String? {
    var validator = JSONSchemaValidator(schema: self)
    return validator.violation(by: content, of: document, at: ContentPath())
  }
}

/// A comparison of content with a JSON Schema.
struct JSONSchemaValidator {
  let schema: JSONSchema
  /// The work so far, in comparisons of one value with one keyword.
  var steps = 0
  private var depth = 0
  static let maximumSteps = 100_000
  private static let maximumDepth = 200

  init(schema: JSONSchema) {
    self.schema = schema
  }

  mutating func violation(
    by content: GeneratedContent,
    of schema: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    steps += 1
    guard steps < Self.maximumSteps, depth < Self.maximumDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    if schema.kind == .bool(false) { return "\(place) is not allowed." }
    for (keyword, value) in schema.members {
      if let violation = violation(by: content, of: keyword, value, in: schema, at: place) {
        return violation
      }
    }
    return nil
  }

  private mutating func violation(
    by content: GeneratedContent,
    of keyword: String,
    _ value: GeneratedContent,
    in schema: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    switch (keyword, content.kind) {
    case ("$ref", _):
      guard let target = value.text.flatMap(self.schema.target) else { return nil }
      return violation(by: content, of: target, at: place)
    case ("type", _):
      let types = value.text.map { [$0] } ?? value.strings
      guard !types.isEmpty, !types.contains(where: content.isOf) else { return nil }
      if schema["nullable"]?.kind == .bool(true), content.kind == .null { return nil }
      return "\(place) is not of the type \(types.quoted(" or "))."
    case ("const", _):
      return content == value ? nil : "\(place) is not \(value.jsonString)."
    case ("enum", _):
      guard let values = value.elements, !values.contains(content) else { return nil }
      return "\(place) is not one of: \(values.map(\.jsonString).joined(separator: ", "))."
    case ("allOf", _):
      for branch in value.elements ?? [] {
        if let violation = violation(by: content, of: branch, at: place) { return violation }
      }
      return nil
    case ("anyOf", _), ("oneOf", _):
      return violation(by: content, ofChoices: value, areExclusive: keyword == "oneOf", at: place)
    case ("not", _):
      guard value.isSchema, violation(by: content, of: value, at: place) == nil else { return nil }
      return "\(place) is what the schema excludes: \(value.jsonString.prefix(200))."
    case ("if", _):
      let branch = violation(by: content, of: value, at: place) == nil ? "then" : "else"
      return schema[branch].flatMap { violation(by: content, of: $0, at: place) }
    case (_, .structure(let values, let names)):
      return violation(by: values, names, of: keyword, value, in: schema, at: place)
    case (_, .array(let elements)):
      return violation(by: elements, of: keyword, value, in: schema, at: place)
    case (_, .string(let text)): return violation(by: text, of: keyword, value, at: place)
    case (_, .number):
      return content.number.flatMap { violation(by: $0, of: keyword, value, at: place) }
    case (_, .null), (_, .bool): return nil
    }
  }

  private mutating func violation(
    by content: GeneratedContent,
    ofChoices choices: GeneratedContent,
    areExclusive: Bool,
    at place: ContentPath
  ) -> String? {
    guard let choices = choices.elements, !choices.isEmpty else { return nil }
    var problems: [String] = []
    var fitting = 0
    for choice in choices {
      if let problem = violation(by: content, of: choice, at: place) {
        problems.append(problem)
      } else {
        fitting += 1
        if !areExclusive { return nil }
      }
    }
    switch fitting {
    case 1: return nil
    case 0:
      // The problem with each form tells the model more than that there is one.
      let all =
        Set(problems).count == 1 ? problems[0] : problems.prefix(4).joined(separator: " Or: ")
      return problems.count == 1 ? all : "\(place) matches none of the allowed forms. \(all)"
    default:
      return "\(place) matches more than one of the allowed forms, of which it must match one."
    }
  }

  // MARK: Texts and numbers

  private mutating func violation(
    by text: String,
    of keyword: String,
    _ value: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    switch keyword {
    case "minLength": return fewer(text.unicodeScalars.count, value, "characters", at: place)
    case "maxLength": return more(text.unicodeScalars.count, value, "characters", at: place)
    case "pattern":
      guard let pattern = value.text, matches(text, pattern) == false else { return nil }
      return "\(place) does not match the pattern \(pattern)"
    default: return nil
    }
  }

  private func violation(
    by number: JSONNumber,
    of keyword: String,
    _ value: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    guard let bound = value.number else { return nil }
    switch keyword {
    case "minimum" where number < bound: return "\(place) is less than \(bound.text)."
    case "maximum" where number > bound: return "\(place) is more than \(bound.text)."
    case "exclusiveMinimum" where number <= bound: return "\(place) is not more than \(bound.text)."
    case "exclusiveMaximum" where number >= bound: return "\(place) is not less than \(bound.text)."
    case "multipleOf":
      guard number.isMultiple(of: bound) == false else { return nil }
      return "\(place) is not a multiple of \(bound.text)."
    default: return nil
    }
  }

  /// Returns whether a pattern matches a text; `nil` if that cannot be said in bounded time.
  mutating func matches(_ text: String, _ pattern: String) -> Bool? {
    guard steps < Self.maximumSteps else { return nil }
    let length = text.unicodeScalars.count
    steps += 10 + length * length / 100
    return SchemaPattern(pattern)?.matches(text)
  }

  func fewer(
    _ count: Int,
    _ bound: GeneratedContent,
    _ things: String,
    at place: ContentPath
  ) -> String? {
    guard let least = bound.count, count < least else { return nil }
    return "\(place) has fewer than \(least) \(things)."
  }

  func more(
    _ count: Int,
    _ bound: GeneratedContent,
    _ things: String,
    at place: ContentPath
  ) -> String? {
    guard let most = bound.count, count > most else { return nil }
    return "\(place) has more than \(most) \(things)."
  }
}

extension GeneratedContent {
  fileprivate func isOf(_ type: String) -> Bool {
    switch (type, kind) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array),
      ("object", .structure), ("number", .number):
      true
    case ("integer", .number): number?.isWhole == true
    default: false
    }
  }
}

extension [String] {
  fileprivate func quoted(_ separator: String) -> String {
    map { "'\($0)'" }.joined(separator: separator)
  }
}

extension JSONNumber {
  /// Whether the number is a multiple of another; `nil` if both have too many digits to tell.
  fileprivate func isMultiple(of other: JSONNumber) -> Bool? {
    let (one, other) = (value, other.value)
    guard !other.digits.isEmpty, !other.isNegative else { return nil }
    guard !one.digits.isEmpty else { return true }
    // Both as whole numbers of the smallest unit that either has.
    let unit = min(one.point - one.digits.count, other.point - other.digits.count)
    func units(_ value: Value) -> Int128? {
      let zeros = value.point - value.digits.count - unit
      guard value.digits.count + zeros <= 36 else { return nil }
      let digits = value.digits + Array(repeating: 0, count: zeros)
      return digits.reduce(0) { $0 * 10 + Int128($1) }
    }
    guard let one = units(one), let other = units(other) else { return nil }
    return one % other == 0
  }
}
