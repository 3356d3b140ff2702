extension GenerationSchema {
  /// Returns how content violates the schema, in words for the model, or `nil` if it conforms.
  ///
  /// A model in this process cannot generate anything else, but a server may not support every
  /// guide.
  package func violation(by content: GeneratedContent) -> String? {
    SchemaCheck(scope: SchemaScope(self)).violation(
      by: content,
      of: self,
      constraints: rootConstraints,
      at: ContentPath()
    )
  }
}

/// A comparison of content with a schema.
private struct SchemaCheck {
  let scope: SchemaScope
  /// The unions against which the same content is being checked; a union may contain itself.
  var unions: Set<SchemaScope.Identity> = []

  func violation(
    by content: GeneratedContent,
    of schema: GenerationSchema,
    constraints: [GenerationConstraint],
    at place: ContentPath
  ) -> String? {
    shapeViolation(by: content, of: schema, constraints: constraints, at: place)
      ?? constraints.merged.lazy.compactMap { $0.violation(by: content, at: place) }.first
  }

  private func shapeViolation(
    by content: GeneratedContent,
    of schema: GenerationSchema,
    constraints: [GenerationConstraint],
    at place: ContentPath
  ) -> String? {
    switch (schema.shape, content.kind) {
    case (.any, _), (.null, .null), (.boolean, .bool), (.string, .string), (.number, .number):
      return nil
    case (.integer, .number):
      guard let number = content.number, number.isWhole else {
        return "\(place) is not a whole number."
      }
      // An integer has 64 bits and a sign, unless its bounds say something else.
      let fits = constraints.allowMoreThanInt || (try? number.integer(Int.self)) != nil
      return fits ? nil : "\(place) does not fit in 64 bits."
    case (.choices(let choices), .string(let text)):
      return GenerationConstraint.anyOf(choices).violation(
        by: .init(kind: .string(text)),
        at: place
      )
    case (.array(var element), .array(let elements)):
      for case .element(let constraints) in constraints { element.constraints += constraints }
      return elements.enumerated().lazy.compactMap { index, content in
        violation(by: content, of: element, at: place.appending(.element(index)))
      }.first
    case (.map(let value), .structure(let values, let names)):
      guard let value else { return nil }
      return names.lazy.compactMap { name in
        values[name].flatMap { violation(by: $0, of: value, at: place.appending(.property(name))) }
      }.first
    case (.anyOf(let parts), _):
      let fits = parts.contains { violation(by: content, of: $0, at: place) == nil }
      return fits ? nil : "\(place) does not match any of the allowed forms."
    case (.object(let properties, _), .structure(let values, _)):
      return properties.lazy.compactMap { property in
        violation(by: values[property.name], of: property, in: place)
      }.first
    default:
      return "\(place) is not of the type '\(schema.shape.jsonType ?? schema.name)'."
    }
  }

  private func violation(
    by content: GeneratedContent?,
    of property: GenerationSchema.Property,
    in object: ContentPath
  ) -> String? {
    let place = object.appending(.property(property.name))
    guard let content, content.kind != .null || !property.isOptional else {
      return property.isOptional ? nil : "\(place) is missing."
    }
    return violation(by: content, of: property.part, at: place)
  }

  private func violation(
    by content: GeneratedContent,
    of part: GenerationSchema.Part,
    at place: ContentPath
  ) -> String? {
    let found = scope.find(part)
    var check = SchemaCheck(scope: found.scope)
    if case .anyOf = found.schema.shape {
      check.unions = unions
      if let identity = found.identity, !check.unions.insert(identity).inserted {
        return "\(place) does not match any of the allowed forms."
      }
    }
    return check.violation(
      by: content,
      of: found.schema,
      constraints: found.constraints,
      at: place
    )
  }
}

extension [GenerationConstraint] {
  fileprivate var allowMoreThanInt: Bool {
    NumberBounds(self, isWhole: true)?.maximum.map { $0 > JSONNumber(Int.max) } ?? false
  }
}

extension GenerationConstraint {
  /// Returns how content violates the bound.
  fileprivate func violation(by content: GeneratedContent, at place: ContentPath) -> String? {
    if let number = content.number {
      switch self {
      case .minimum(let minimum) where number < minimum:
        return "\(place) is less than \(minimum.text)."
      case .maximum(let maximum) where number > maximum:
        return "\(place) is more than \(maximum.text)."
      default: return nil
      }
    }
    return switch (self, content.kind) {
    case (.constant(let constant), .string(let text)) where text != constant:
      "\(place) is not '\(constant)'."
    case (.anyOf(let choices), .string(let text)) where !choices.contains(text):
      "\(place) is not one of: \(choices.joined(separator: ", "))."
    case (.pattern(let pattern), .string(let text)) where !Self.matches(text, pattern):
      "\(place) does not match the pattern \(pattern)."
    case (.minimumCount(let count), .array(let elements)) where elements.count < count:
      "\(place) has fewer than \(count) elements."
    case (.maximumCount(let count), .array(let elements)) where elements.count > count:
      "\(place) has more than \(count) elements."
    default: nil
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    // An unreadable pattern was refused before the model was asked.
    guard let terms = try? GrammarPattern.of(pattern) else { return true }
    return terms.matches(text)
  }
}
