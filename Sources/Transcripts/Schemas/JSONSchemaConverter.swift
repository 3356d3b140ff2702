/// A lenient reader of any JSON Schema as a schema for generation.
///
/// What cannot be expressed is left out and listed. The reader bounds its own work, since the
/// documents come from outside.
struct JSONSchemaConverter {
  typealias Part = GenerationSchema.Part

  /// Where a part stands in the document, and what it is called.
  struct Place {
    let pointer: String
    let name: String

    func inside(_ steps: String..., name: String? = nil) -> Place {
      Place(pointer: ([pointer] + steps).joined(separator: "/"), name: name ?? self.name)
    }
  }

  let document: JSONSchema
  /// The schemas to which references lead, by their keys.
  private var definitions: [String: GenerationSchema] = [:]
  /// The keys of the definitions, by the reference that leads there.
  private var keys: [String: String] = [:]
  private(set) var omissions: [OmittedKeyword] = []
  private var depth = 0
  private var count = 0
  private static let maximumDepth = 64
  private static let maximumCount = 2000
  private static let maximumOmissions = 200
  private static let any = Part(kind: .schema(GenerationSchema(name: "Any", shape: .any)))

  static func convert(
    _ document: JSONSchema,
    name: String,
    isForArguments: Bool
  ) -> SchemaConversion {
    var converter = JSONSchemaConverter(document: document)
    let root = Place(pointer: "#", name: name)
    var content = document.document
    if isForArguments { content = converter.arguments(content, at: root) }
    let schema = converter.whole(content, at: root)
    if schema.flaw == nil, !converter.hasEndlessChoice {
      return SchemaConversion(schema: schema, omissions: converter.omissions)
    }
    // It is contradictory or too large. The names of its properties still help.
    converter.omissions = []
    converter.omit("properties", at: root)
    let outline = GenerationSchema(name: name, shape: .outline(of: content))
    return SchemaConversion(schema: outline, omissions: converter.omissions)
  }

  private init(document: JSONSchema) {
    self.document = document
  }

  private mutating func whole(_ content: GeneratedContent, at place: Place) -> GenerationSchema {
    let part = part(content, at: place)
    var schema: GenerationSchema
    switch part.kind {
    case .schema(let own): schema = own
    case .reference(let key):
      schema = definitions[key] ?? GenerationSchema(name: key, shape: .any)
      schema.rootReference = key
    case .type: return GenerationSchema(name: place.name, shape: .any)
    }
    schema.rootConstraints += part.constraints
    if let key = keys["#"] {
      schema.rootReference = key
      definitions[key] = schema
    }
    schema.definitions = definitions
    return schema
  }

  // MARK: Parts

  mutating func part(_ content: GeneratedContent, at place: Place) -> Part {
    guard depth < Self.maximumDepth, spend() else {
      omit("type", at: place)
      return Self.any
    }
    depth += 1
    defer { depth -= 1 }
    if let reference = soleReference(in: content) {
      return part(content, referringTo: reference, at: place)
    }
    let merged = merged(content, at: place)
    var (shape, constraints) = (GenerationSchema.Shape.any, [GenerationConstraint]())
    var handled: Set<String> = ["type"]
    if merged.kind == .bool(false) || !merged.isSchema {
      omit("false", at: place)
    } else if let values = merged["const"].map({ [$0] }) ?? merged["enum"]?.elements {
      let listed = self.choices(values)
      (shape, constraints) = (listed.shape, listed.constraints)
      if listed.isComplete { handled.formUnion(["const", "enum"]) }
    } else if let choices = self.choices(of: merged, at: place) {
      shape = .anyOf(choices)
      handled.formUnion(merged.members.map(\.name))
    } else {
      (shape, constraints) = typed(merged, at: place, &handled)
    }
    let missing = omitted(from: merged, handled, at: place)
    if merged["nullable"]?.kind == .bool(true), !shape.allowsNull {
      let value = GenerationSchema(name: merged["title"]?.text ?? place.name, shape: shape)
      let null = GenerationSchema(name: "Null", shape: .null)
      shape = .anyOf([
        Part(kind: .schema(value), constraints: constraints), Part(kind: .schema(null)),
      ])
      constraints = []
    }
    let schema = GenerationSchema(
      name: shape.fixedName ?? merged["title"]?.text ?? place.name,
      description: merged.description(noting: missing),
      shape: shape
    )
    return Part(kind: .schema(schema), constraints: constraints)
  }

  private mutating func part(
    _ content: GeneratedContent,
    referringTo reference: GeneratedContent,
    at place: Place
  ) -> Part {
    _ = omitted(from: content, ["$ref", "allOf"], at: place)
    guard let target = resolved(reference.text) else {
      omit("$ref", at: place)
      return Self.any
    }
    if let key = keys[target.reference] { return Part(kind: .reference(key)) }
    let last = target.reference.split(separator: "/").last.map { JSONSchema.name(of: $0) } ?? "#"
    let wanted = last.isEmpty ? "#" : last
    let used = Set(keys.values)
    let key = ([wanted] + (2...used.count + 2).map { "\(wanted)\($0)" }).first {
      !used.contains($0)
    }
    guard let key else { return Self.any }
    keys[target.reference] = key
    // The root is being read.
    guard target.reference != "#" else { return Part(kind: .reference(key)) }
    let part = part(target.content, at: Place(pointer: target.reference, name: key))
    guard case .schema(var schema) = part.kind else { return part }
    schema.rootConstraints += part.constraints
    definitions[key] = schema
    return Part(kind: .reference(key))
  }

  /// Follows references that lead to nothing but other references.
  func resolved(_ reference: String?) -> (reference: String, content: GeneratedContent)? {
    var next = reference
    for _ in 0..<Self.maximumDepth {
      guard let reference = next, let content = document.target(of: reference) else { return nil }
      next = content["$ref"]?.text
      guard next != nil else { return (reference, content) }
    }
    return nil
  }

  /// Returns the alternatives that a schema lists, or `nil` if it lists none.
  private mutating func choices(of content: GeneratedContent, at place: Place) -> [Part]? {
    if let types = content["type"]?.elements {
      let types = types.compactMap(\.text)
      guard !types.isEmpty else { return nil }
      let choices = types.map { type in
        part(
          content.replacing("type", with: .init(type)).without("title", "description"),
          at: place
        )
      }
      return choices
    }
    for keyword in ["anyOf", "oneOf"] {
      guard let branches = content[keyword]?.elements, !branches.isEmpty else { continue }
      // Alternatives that only demand properties of the whole are checked.
      guard branches.contains(where: \.hasShape) else { continue }
      let base = content.without("anyOf", "oneOf", "title", "description", "default")
      let isBare = base.members.allSatisfy { JSONSchema.annotations.contains($0.name) }
      let choices = branches.enumerated().map { index, branch in
        let place = place.inside(keyword, String(index))
        guard !isBare else { return part(branch, at: place) }
        let both = GeneratedContent(elements: [base, branch])
        return part(GeneratedContent(properties: ["allOf": both]), at: place)
      }
      if keyword == "oneOf" { omit("oneOf", at: place) }
      if keyword == "anyOf", content["oneOf"] != nil { omit("oneOf", at: place) }
      return choices
    }
    return nil
  }

  /// Counts a step of the work; `false` if there were too many.
  mutating func spend() -> Bool {
    count += 1
    return count <= Self.maximumCount
  }

  // MARK: Omissions

  mutating func omit(_ keyword: String, at place: Place) {
    let omission = OmittedKeyword(
      place: place.pointer,
      keyword: keyword,
      isChecked: JSONSchema.checked.contains(keyword)
    )
    guard omissions.count < Self.maximumOmissions, !omissions.contains(omission) else { return }
    omissions.append(omission)
  }

  /// Lists the keywords that were not handled, and returns them.
  private mutating func omitted(
    from content: GeneratedContent,
    _ handled: Set<String>,
    at place: Place
  ) -> [String] {
    let type = content.impliedType
    let left = content.members.map(\.name).filter { name in
      !handled.contains(name) && !JSONSchema.annotations.contains(name) && !name.hasPrefix("x-")
        && JSONSchema.demands(name, ofType: type)
    }
    for keyword in left { omit(keyword, at: place) }
    return left
  }

  /// Whether a reference leads back to itself without anything being generated on the way.
  private var hasEndlessChoice: Bool {
    var done: Set<String> = []
    func isEndless(_ key: String, _ open: Set<String>) -> Bool {
      guard !open.contains(key) else { return true }
      guard !done.contains(key), let schema = definitions[key] else { return false }
      let isEndless = schema.shape.immediateReferences.contains { isEndless($0, open.union([key])) }
      done.insert(key)
      return isEndless
    }
    return definitions.keys.contains { isEndless($0, []) }
  }
}

extension GenerationSchema.Shape {
  /// The references that stand in place of the whole.
  fileprivate var immediateReferences: [String] {
    guard case .anyOf(let parts) = self else { return [] }
    return parts.flatMap { part -> [String] in
      switch part.kind {
      case .reference(let key): [key]
      case .schema(let schema): schema.shape.immediateReferences
      case .type: []
      }
    }
  }

  fileprivate var allowsNull: Bool {
    switch self {
    case .null, .any: true
    case .anyOf(let parts):
      parts.contains {
        if case .schema(let schema) = $0.kind { schema.shape.allowsNull } else { false }
      }
    default: false
    }
  }

  /// The name that all schemas of a shape share.
  fileprivate var fixedName: String? {
    switch self {
    case .any: "Any"
    case .null: "Null"
    case .boolean: "Bool"
    case .string: "String"
    case .integer: "Int"
    case .number: "Double"
    case .map: "Object"
    case .choices, .array, .object, .anyOf: nil
    }
  }

  /// The shape of an object of which only the names of the properties are known.
  fileprivate static func outline(of content: GeneratedContent) -> Self {
    let names = content["properties"]?.members.map(\.name).prefix(200) ?? []
    guard !names.isEmpty else { return .map(of: nil) }
    let required = Set(content["required"]?.strings ?? [])
    let any = GenerationSchema(name: "Any", shape: .any)
    let properties = names.map { name in
      GenerationSchema.Property(
        name: name,
        description: nil,
        part: .init(kind: .schema(any)),
        isOptional: !required.contains(name)
      )
    }
    return .object(properties)
  }
}
