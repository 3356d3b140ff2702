extension JSONSchemaConverter {
  /// Returns a schema with what its `allOf` demands among its own keywords.
  mutating func merged(
    _ content: GeneratedContent,
    at place: Place,
    depth: Int = 0
  ) -> GeneratedContent {
    guard let branches = content["allOf"]?.elements, depth < 16 else { return content }
    var parts = [content.without("allOf")]
    for branch in branches {
      guard spend() else { return content }
      if let reference = branch["$ref"] {
        guard let target = resolved(reference.text) else {
          omit("$ref", at: place)
          continue
        }
        parts.append(merged(target.content, at: place, depth: depth + 1))
        parts.append(branch.without("$ref"))
      } else {
        parts.append(merged(branch, at: place, depth: depth + 1))
      }
    }
    guard !parts.contains(where: { $0.kind == .bool(false) }) else {
      return GeneratedContent(kind: .bool(false))
    }
    return combined(parts, at: place)
  }

  /// Returns the reference of a schema that only describes what it refers to, as generators of
  /// schemas write it.
  func soleReference(in content: GeneratedContent) -> GeneratedContent? {
    if let reference = content["$ref"] { return reference }
    guard let branches = content["allOf"]?.elements, branches.count == 1, let only = branches.first,
      let reference = only["$ref"], only.members.count == 1,
      content.members.allSatisfy({ $0.name == "allOf" || JSONSchema.annotations.contains($0.name) })
    else { return nil }
    return reference
  }

  private mutating func combined(
    _ parts: [GeneratedContent],
    at place: Place
  ) -> GeneratedContent {
    var values: [String: GeneratedContent] = [:]
    var order: [String] = []
    for (name, value) in parts.flatMap(\.members) {
      guard let earlier = values[name] else {
        values[name] = value
        order.append(name)
        continue
      }
      if let both = Self.combined(earlier, value, for: name) {
        values[name] = both
      } else {
        omit("allOf", at: place)
      }
    }
    return GeneratedContent(kind: .structure(properties: values, orderedKeys: order))
  }

  /// Returns the value of a keyword that demands what two values do; `nil` if there is none.
  private static func combined(
    _ one: GeneratedContent,
    _ other: GeneratedContent,
    for keyword: String
  ) -> GeneratedContent? {
    if one == other || JSONSchema.annotations.contains(keyword) { return one }
    switch keyword {
    case "properties":
      var values = Dictionary(one.members.map { ($0.name, $0.content) }) { first, _ in first }
      var order = one.members.map(\.name)
      for (name, value) in other.members {
        if let earlier = values[name] {
          values[name] = GeneratedContent(properties: [
            "allOf": GeneratedContent(elements: [earlier, value])
          ])
        } else {
          values[name] = value
          order.append(name)
        }
      }
      return GeneratedContent(kind: .structure(properties: values, orderedKeys: order))
    case "required":
      let names = one.strings
      return GeneratedContent(names + other.strings.filter { !names.contains($0) })
    case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
      guard let (one, other) = numbers(one, other) else { return nil }
      return GeneratedContent(number: max(one, other))
    case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
      guard let (one, other) = numbers(one, other) else { return nil }
      return GeneratedContent(number: min(one, other))
    case "enum":
      let others = other.elements ?? []
      return GeneratedContent(kind: .array((one.elements ?? []).filter { others.contains($0) }))
    case "additionalProperties":
      // An object has only the properties that are declared anyway.
      return one.kind == .bool(false) ? one : other
    case "type":
      let types = [one.text, other.text]
      return types.contains("integer") && types.contains("number")
        ? GeneratedContent("integer") : nil
    default: return nil
    }
  }

  private static func numbers(
    _ one: GeneratedContent,
    _ other: GeneratedContent
  ) -> (JSONNumber, JSONNumber)? {
    guard let one = one.number, let other = other.number else { return nil }
    return (one, other)
  }

  /// Returns the schema of a function's arguments as that of one object with properties.
  mutating func arguments(_ content: GeneratedContent, at place: Place) -> GeneratedContent {
    let target = content["$ref"].flatMap { resolved($0.text)?.content }
    let whole = merged(target ?? content, at: place)
    var fields = whole.without("anyOf", "oneOf", "type")
    let alternatives = ["anyOf", "oneOf"].flatMap { whole[$0]?.elements ?? [] }
    let branches = alternatives.map { branch in
      merged(branch["$ref"].flatMap { resolved($0.text)?.content } ?? branch, at: place)
    }
    if !branches.isEmpty {
      for keyword in ["anyOf", "oneOf"] where whole[keyword] != nil { omit(keyword, at: place) }
      fields = fields.offering(branches)
    }
    if fields["properties"] == nil, fields["additionalProperties"] == nil {
      fields = fields.replacing("properties", with: GeneratedContent(properties: [:]))
    }
    return fields.replacing("type", with: GeneratedContent("object"))
  }
}

extension GeneratedContent {
  /// Whether the content can be a schema.
  var isSchema: Bool {
    switch kind {
    case .structure, .bool: true
    case .null, .number, .string, .array: false
    }
  }

  /// Whether a schema says what kind of content it is for.
  var hasShape: Bool {
    let shaping: Set<String> = [
      "type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "pattern",
      "prefixItems", "minimum", "maximum", "additionalProperties",
    ]
    return members.contains { shaping.contains($0.name) }
  }

  /// The type that a schema has or implies, or `nil` if it implies none.
  var impliedType: String? {
    if let type = self["type"] { return type.text ?? "" }
    func has(_ keywords: String...) -> Bool { keywords.contains { self[$0] != nil } }
    if has("properties", "required", "additionalProperties", "patternProperties") {
      return "object"
    }
    if has("items", "prefixItems", "minItems", "maxItems") { return "array" }
    if has("pattern", "minLength", "maxLength") { return "string" }
    if has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") {
      return "number"
    }
    return nil
  }

  /// A non-negative whole number, or `nil` for other content.
  var count: Int? {
    guard let count = try? number?.integer(Int.self), count >= 0 else { return nil }
    return count
  }

  func without(_ names: String...) -> GeneratedContent {
    let members = members.filter { !names.contains($0.name) }
    return GeneratedContent(
      properties: members.map { ($0.name, $0.content) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func replacing(_ name: String, with value: GeneratedContent) -> GeneratedContent {
    var all = members.map { ($0.name, $0.name == name ? value : $0.content) }
    if self[name] == nil { all.append((name, value)) }
    return GeneratedContent(properties: all, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the schema of an object with the properties of all alternatives, of which it requires
  /// those that each of them does.
  fileprivate func offering(_ alternatives: [GeneratedContent]) -> GeneratedContent {
    var properties = (self["properties"]?.members ?? []).map { ($0.name, [$0.content]) }
    let own = Set(properties.map(\.0))
    for (name, content) in alternatives.flatMap({ $0["properties"]?.members ?? [] }) {
      guard !own.contains(name) else { continue }
      if let index = properties.firstIndex(where: { $0.0 == name }) {
        if !properties[index].1.contains(content) { properties[index].1.append(content) }
      } else {
        properties.append((name, [content]))
      }
    }
    let merged = GeneratedContent(
      properties: properties.map { name, choices in
        let choice = GeneratedContent(kind: .array(choices))
        return (
          name, choices.count == 1 ? choices[0] : GeneratedContent(properties: ["anyOf": choice])
        )
      },
      uniquingKeysWith: { first, _ in first }
    )
    let required = alternatives.map { Set($0["required"]?.strings ?? []) }
    let shared = properties.map(\.0).filter { name in required.allSatisfy { $0.contains(name) } }
    let names = self["required"]?.strings ?? []
    return replacing("properties", with: merged)
      .replacing("required", with: GeneratedContent(names + shared.filter { !names.contains($0) }))
  }

  /// The description of a schema, with what a model is not held to in words for it.
  func description(noting keywords: [String]) -> String? {
    let noted = (keywords + ["format", "default"]).compactMap { keyword -> String? in
      guard let value = self[keyword]?.jsonString, value.utf8.count <= 200, value != "null" else {
        return nil
      }
      return "\(keyword): \(value)"
    }
    let text = self["description"]?.text
    guard !noted.isEmpty else { return text }
    let note = "(\(noted.joined(separator: "; ")))"
    return text.map { "\($0) \(note)" } ?? note
  }
}
