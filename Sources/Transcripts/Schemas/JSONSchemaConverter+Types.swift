extension JSONSchemaConverter {
  typealias Shape = GenerationSchema.Shape

  /// Reads a schema of one type; adds the keywords that the result expresses to those handled.
  mutating func typed(
    _ content: GeneratedContent,
    at place: Place,
    _ handled: inout Set<String>
  ) -> (Shape, [GenerationConstraint]) {
    switch content.impliedType {
    case "object": return (object(content, at: place, &handled), [])
    case "array": return array(content, at: place, &handled)
    case "string": return (.string, text(content, &handled))
    case "integer": return (.integer, bounds(of: content, isWhole: true, &handled))
    case "number": return (.number, bounds(of: content, isWhole: false, &handled))
    case "boolean": return (.boolean, [])
    case "null": return (.null, [])
    case nil: return (.any, [])
    default:
      handled.remove("type")
      return (.any, [])
    }
  }

  private mutating func object(
    _ content: GeneratedContent,
    at place: Place,
    _ handled: inout Set<String>
  ) -> Shape {
    handled.formUnion(["properties", "required"])
    let additional = content["additionalProperties"]
    if additional?.members.isEmpty != false { handled.insert("additionalProperties") }
    let required = content["required"]?.strings ?? []
    var members = content["properties"]?.members ?? []
    let known = Set(members.map(\.name))
    // The schema of a property that is only demanded is that of all others.
    for name in required
    where !known.contains(name) && !members.contains(where: { $0.name == name }) {
      members.append((name, additional ?? GeneratedContent(kind: .bool(true))))
    }
    guard members.isEmpty else {
      return .object(members.map { property($0.content, $0.name, Set(required), at: place) })
    }
    guard additional?.kind != .bool(false), additional != nil || content["properties"] == nil else {
      return .object([])
    }
    handled.insert("additionalProperties")
    guard let additional, additional.isSchema, additional.hasShape else { return .map(of: nil) }
    return .map(of: part(additional, at: place.inside("additionalProperties")))
  }

  private mutating func property(
    _ content: GeneratedContent,
    _ name: String,
    _ required: Set<String>,
    at place: Place
  ) -> GenerationSchema.Property {
    var part = part(content, at: place.inside("properties", name, name: name))
    var description = content["description"]?.text
    if case .schema(var schema) = part.kind {
      description = schema.description ?? description
      schema.description = nil
      part = .init(kind: .schema(schema), constraints: part.constraints)
    }
    return GenerationSchema.Property(
      name: name,
      description: description,
      part: part,
      isOptional: !required.contains(name)
    )
  }

  private mutating func array(
    _ content: GeneratedContent,
    at place: Place,
    _ handled: inout Set<String>
  ) -> (Shape, [GenerationConstraint]) {
    var element = GeneratedContent(kind: .bool(true))
    if let items = content["items"], items.isSchema, items.kind != .bool(false) {
      element = items
      handled.insert("items")
    }
    var constraints: [GenerationConstraint] = []
    for (keyword, bound) in [
      ("minItems", GenerationConstraint.minimumCount),
      ("maxItems", GenerationConstraint.maximumCount),
    ] {
      guard let count = content[keyword]?.count, count <= Self.maximumElements else { continue }
      handled.insert(keyword)
      constraints.append(bound(count))
    }
    return (.array(of: part(element, at: place.inside("items"))), constraints)
  }

  private static var maximumElements: Int { 1000 }

  private func text(
    _ content: GeneratedContent,
    _ handled: inout Set<String>
  ) -> [GenerationConstraint] {
    guard let pattern = content["pattern"]?.text, let whole = SchemaPattern(pattern)?.whole else {
      return []
    }
    handled.insert("pattern")
    return [.pattern(whole)]
  }

  private func bounds(
    of content: GeneratedContent,
    isWhole: Bool,
    _ handled: inout Set<String>
  ) -> [GenerationConstraint] {
    var bounds: [GenerationConstraint] = []
    for (keyword, step, bound) in [
      ("minimum", 0, GenerationConstraint.minimum), ("maximum", 0, GenerationConstraint.maximum),
      ("exclusiveMinimum", 1, GenerationConstraint.minimum),
      ("exclusiveMaximum", -1, GenerationConstraint.maximum),
    ] {
      guard let number = content[keyword]?.number, number.isModest else { continue }
      guard isWhole else {
        // The number itself is excluded by the check.
        if step == 0 { handled.insert(keyword) }
        bounds.append(bound(number))
        continue
      }
      guard let whole = try? number.integer(Int64.self) else { continue }
      let (next, overflows) = whole.addingReportingOverflow(Int64(step))
      guard !overflows else { continue }
      handled.insert(keyword)
      bounds.append(bound(JSONNumber(next)))
    }
    return bounds
  }

  // MARK: Listed values

  /// Returns what holds a model to listed values, and whether it does so completely.
  mutating func choices(
    _ values: [GeneratedContent]
  ) -> (shape: Shape, constraints: [GenerationConstraint], isComplete: Bool) {
    let texts = values.compactMap(\.text)
    let numbers = values.compactMap(\.number)
    let truths = values.filter { if case .bool = $0.kind { true } else { false } }
    let nulls = values.filter { $0.kind == .null }
    var kinds: [(shape: Shape, constraints: [GenerationConstraint], isComplete: Bool)] = []
    if texts.count == 1 { kinds.append((.string, [.constant(texts[0])], true)) }
    if texts.count > 1 { kinds.append((.string, [.anyOf(texts)], true)) }
    if let range = range(of: numbers) { kinds.append(range) }
    if !truths.isEmpty {
      let isComplete = Set(truths.map { $0.kind == .bool(true) }).count == 2
      kinds.append((.boolean, [], isComplete))
    }
    if !nulls.isEmpty { kinds.append((.null, [], true)) }
    let read = texts.count + numbers.count + truths.count + nulls.count
    guard read == values.count, let first = kinds.first else { return (.any, [], false) }
    guard kinds.count > 1 else { return first }
    let parts = kinds.map { kind in
      let schema = GenerationSchema(name: kind.shape.jsonType ?? "Any", shape: kind.shape)
      return Part(kind: .schema(schema), constraints: kind.constraints)
    }
    return (.anyOf(parts), [], kinds.allSatisfy(\.isComplete))
  }

  /// Returns the range of listed numbers, and whether it has no others.
  private func range(
    of numbers: [JSONNumber]
  ) -> (shape: Shape, constraints: [GenerationConstraint], isComplete: Bool)? {
    guard let least = numbers.min(), let most = numbers.max() else { return nil }
    let shape = numbers.allSatisfy(\.isWhole) ? Shape.integer : .number
    guard least.isModest, most.isModest else { return (shape, [], false) }
    let bounds = [
      GenerationConstraint.minimum(least.canonicalWhole), .maximum(most.canonicalWhole),
    ]
    guard let first = try? least.integer(Int64.self), let last = try? most.integer(Int64.self),
      shape.jsonType == "integer"
    else { return (shape, bounds, least == most && shape.jsonType == "integer") }
    let distinct = Set(numbers.map(\.canonical.text)).count
    return (
      shape, bounds, last.subtractingReportingOverflow(first).partialValue == Int64(distinct - 1)
    )
  }
}

extension JSONNumber {
  /// Whether the number has few enough digits for a grammar.
  fileprivate var isModest: Bool {
    let value = self.value
    return value.digits.count <= 40 && (-40...40).contains(value.point)
  }

  /// The number, in plain digits if it is a whole one.
  fileprivate var canonicalWhole: JSONNumber {
    (try? integer(Int64.self)).map { JSONNumber($0) } ?? self
  }
}
