extension JSONSchemaValidator {
  mutating func violation(
    by values: [String: GeneratedContent],
    _ names: [String],
    of keyword: String,
    _ value: GeneratedContent,
    in schema: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    switch keyword {
    case "required":
      let missing = value.strings.first { values[$0] == nil }
      return missing.map { "\(place.appending(.property($0))) is missing." }
    case "dependentRequired":
      for (name, needed) in value.members where values[name] != nil {
        guard let missing = needed.strings.first(where: { values[$0] == nil }) else { continue }
        return "\(place.appending(.property(missing))) is missing, which '\(name)' needs."
      }
    case "properties":
      for (name, schema) in value.members {
        guard let content = values[name] else { continue }
        let place = place.appending(.property(name))
        if let violation = violation(by: content, of: schema, at: place) { return violation }
      }
    case "patternProperties":
      for (pattern, schema) in value.members {
        for name in names where matches(name, pattern) == true {
          guard let content = values[name] else { continue }
          let place = place.appending(.property(name))
          if let violation = violation(by: content, of: schema, at: place) { return violation }
        }
      }
    case "additionalProperties":
      let patterns = (schema["patternProperties"]?.members ?? []).map(\.name)
      for name in names where schema["properties"]?[name] == nil {
        // A pattern that cannot be read may be the one that allows the property.
        guard let content = values[name], patterns.allSatisfy({ matches(name, $0) == false }) else {
          continue
        }
        let place = place.appending(.property(name))
        if value.kind == .bool(false) {
          let known = (schema["properties"]?.members ?? []).map(\.name)
          let hint = known.isEmpty ? "" : " The properties are: \(known.joined(separator: ", "))."
          return "\(place) is not one that the schema has.\(hint)"
        }
        if let violation = violation(by: content, of: value, at: place) { return violation }
      }
    case "propertyNames":
      for name in names {
        let name = GeneratedContent(name)
        if let violation = violation(by: name, of: value, at: place) {
          return "The name \(name.jsonString) is not allowed. \(violation)"
        }
      }
    case "minProperties": return fewer(names.count, value, "properties", at: place)
    case "maxProperties": return more(names.count, value, "properties", at: place)
    default: break
    }
    return nil
  }

  mutating func violation(
    by elements: [GeneratedContent],
    of keyword: String,
    _ value: GeneratedContent,
    in schema: GeneratedContent,
    at place: ContentPath
  ) -> String? {
    switch keyword {
    case "items", "prefixItems":
      let places = value.elements
      let skipped = places == nil ? schema["prefixItems"]?.elements?.count ?? 0 : 0
      for (index, element) in elements.enumerated().dropFirst(skipped) {
        guard let schema = places.map({ index < $0.count ? $0[index] : nil }) ?? value else {
          break
        }
        let place = place.appending(.element(index))
        if let violation = violation(by: element, of: schema, at: place) { return violation }
      }
    case "minItems": return fewer(elements.count, value, "elements", at: place)
    case "maxItems": return more(elements.count, value, "elements", at: place)
    case "uniqueItems" where value.kind == .bool(true):
      for (index, element) in elements.enumerated() {
        steps += index
        guard steps < Self.maximumSteps else { return nil }
        guard elements[..<index].contains(element) else { continue }
        return "\(place.appending(.element(index))) repeats an earlier one; all must differ."
      }
    case "contains":
      for element in elements where violation(by: element, of: value, at: place) == nil {
        return nil
      }
      return "\(place) has no element that follows \(value.jsonString.prefix(200))."
    default: break
    }
    return nil
  }
}
