/// A reader of schemas in FoundationModels' dialect of JSON Schema.
struct SchemaReader {
  struct Fault: Error {
    let problem: String
  }

  private let rootName: String
  /// The key by which parts refer to the root; no definition has it.
  private let rootKey: String
  private let definitions: [String: GeneratedContent]
  /// The keys of the definitions by title; the first one if several share a title.
  private let titles: [String: String]
  /// The referenced definitions by key, because titles may not be unique.
  private var known: [String: GenerationSchema] = [:]
  private var reading: Set<String> = []
  private var rootIsReferred = false
  /// The number of schemas being read, each nested in or referenced by the previous one.
  private var depth = 0
  /// The maximum depth, above what people write and safe for any stack.
  ///
  /// A schema may come through a pipe, from code that is not trusted.
  private static let maximumDepth = 256

  static func read(_ content: GeneratedContent) throws -> GenerationSchema {
    var reader = SchemaReader(content)
    var (schema, constraints) = try reader.schema(content)
    schema.rootConstraints = constraints
    if reader.rootIsReferred {
      schema.rootReference = reader.rootKey
      reader.known[reader.rootKey] = schema
    }
    schema.definitions = reader.known
    return schema
  }

  private init(_ content: GeneratedContent) {
    var definitions: [String: GeneratedContent] = [:]
    if case .structure(let values, _)? = content["$defs"]?.kind { definitions = values }
    var rootKey = "#"
    while definitions[rootKey] != nil { rootKey += "#" }
    self.definitions = definitions
    let titled = definitions.keys.sorted().compactMap { key in
      definitions[key]?["title"]?.text.map { ($0, key) }
    }
    titles = Dictionary(titled, uniquingKeysWith: { first, _ in first })
    self.rootKey = rootKey
    rootName = content["title"]?.text ?? "Any"
  }

  private mutating func part(_ content: GeneratedContent) throws -> GenerationSchema.Part {
    if let reference = content["$ref"]?.text { return try refer(to: reference) }
    let (schema, constraints) = try schema(content)
    return .init(kind: .schema(schema), constraints: constraints)
  }

  /// Reads a property's schema without its description, which belongs to the property.
  private mutating func part(
    ofProperty content: GeneratedContent
  ) throws -> GenerationSchema.Part {
    let part = try part(content)
    guard case .schema(var schema) = part.kind else { return part }
    schema.description = nil
    return .init(kind: .schema(schema), constraints: part.constraints)
  }

  private mutating func refer(to reference: String) throws -> GenerationSchema.Part {
    if reference == "#" {
      rootIsReferred = true
      return .init(kind: .reference(rootKey))
    }
    let prefix = "#/$defs/"
    let name = reference.hasPrefix(prefix) ? String(reference.dropFirst(prefix.count)) : reference
    guard let key = self.key(of: name), let definition = definitions[key] else {
      throw Fault(problem: "The reference '\(reference)' leads nowhere.")
    }
    if reading.insert(key).inserted {
      let (schema, constraints) = try schema(definition)
      var named = schema
      named.rootConstraints = constraints
      known[key] = named
    }
    return .init(kind: .reference(key))
  }

  /// Returns the key of the definition that a reference names, by its key or its title.
  private func key(of name: String) -> String? {
    definitions[name] != nil ? name : titles[name]
  }

  private mutating func schema(
    _ content: GeneratedContent
  ) throws -> (GenerationSchema, [GenerationConstraint]) {
    guard depth < Self.maximumDepth else {
      throw Fault(problem: "Its references are nested too deeply.")
    }
    depth += 1
    defer { depth -= 1 }
    guard case .structure = content.kind else {
      throw Fault(problem: "A schema must be an object.")
    }
    guard content["allOf"] == nil else { throw Fault(problem: "'allOf' is not supported.") }
    let description = content["description"]?.text
    if let constant = content["const"]?.text {
      return (plain(constant, .string, description), [.constant(constant)])
    }
    if let choices = content["anyOf"] {
      guard case .array(let elements) = choices.kind, !elements.isEmpty else {
        throw Fault(problem: "'anyOf' must be a non-empty list.")
      }
      let title = try required(content["title"]?.text, "title")
      let parts = try elements.map { try part($0) }
      return (plain(title, .anyOf(parts), description), [])
    }
    guard let type = content["type"] else {
      guard content.hasNoShape else { throw Fault(problem: "A schema needs a 'type'.") }
      return (plain("Any", .any, description), [])
    }
    guard case .string(let type) = type.kind else {
      throw Fault(problem: "'type' must be a string.")
    }
    switch type {
    case "object":
      if let map = try map(content, description) { return (map, []) }
      return (try object(content, description), [])
    case "array": return try array(content, description)
    case "string": return try text(content, description)
    case "integer":
      let bounds = try bounds(content)
      return (plain("Int", .integer, description), try bounds.map(whole))
    case "number": return (plain("Double", .number, description), try bounds(content))
    case "boolean": return (plain("Bool", .boolean, description), [])
    case "null": return (plain("Null", .null, description), [])
    default: throw Fault(problem: "There is no type '\(type)'.")
    }
  }

  private func plain(
    _ name: String,
    _ shape: GenerationSchema.Shape,
    _ description: String?
  ) -> GenerationSchema {
    GenerationSchema(name: name, description: description, shape: shape)
  }

  /// Reads the schema of an object with any keys; `nil` if the schema declares properties.
  private mutating func map(
    _ content: GeneratedContent,
    _ description: String?
  ) throws -> GenerationSchema? {
    guard content["properties"] == nil, let values = content["additionalProperties"] else {
      return nil
    }
    switch values.kind {
    case .bool(true): return plain("Object", .map(of: nil), description)
    case .structure: return plain("Object", .map(of: try part(values)), description)
    default: return nil
    }
  }

  private mutating func object(
    _ content: GeneratedContent,
    _ description: String?
  ) throws -> GenerationSchema {
    let title = try required(content["title"]?.text, "title")
    let needed = Set(try required(content.texts("required"), "required"))
    let order = try required(content.texts("x-order"), "x-order")
    guard Set(order).count == order.count else {
      throw Fault(problem: "'x-order' names a property twice.")
    }
    guard case .bool? = content["additionalProperties"]?.kind else {
      throw Fault(problem: "An object needs 'additionalProperties'.")
    }
    guard let properties = content["properties"] else {
      throw Fault(problem: "An object needs 'properties'.")
    }
    let read = try order.map { name in
      guard let property = properties[name] else {
        throw Fault(problem: "'x-order' names '\(name)', which is not a property.")
      }
      return GenerationSchema.Property(
        name: name,
        description: property["description"]?.text,
        part: try part(ofProperty: property),
        isOptional: !needed.contains(name)
      )
    }
    let nilIsNull = content["x-explicit-null"]?.kind == .bool(true)
    return plain(title, .object(read, nilIsNull: nilIsNull), description)
  }

  private mutating func array(
    _ content: GeneratedContent,
    _ description: String?
  ) throws -> (GenerationSchema, [GenerationConstraint]) {
    guard let items = content["items"] else { throw Fault(problem: "A list needs 'items'.") }
    let element = try part(items)
    let name =
      switch element.kind {
      case .schema(let schema): schema.name
      case .reference(let key): key == rootKey ? rootName : definitions[key]?["title"]?.text ?? key
      case .type(let type): type.generationSchema.name
      }
    let counts: [GenerationConstraint?] = [
      try content.whole("minItems").map(GenerationConstraint.minimumCount),
      try content.whole("maxItems").map(GenerationConstraint.maximumCount),
    ]
    return (
      plain("Array<\(name)>", .array(of: element), description),
      counts.compactMap(\.self)
    )
  }

  private func text(
    _ content: GeneratedContent,
    _ description: String?
  ) throws -> (GenerationSchema, [GenerationConstraint]) {
    let patterns = content["pattern"]?.text.map { [GenerationConstraint.pattern($0)] } ?? []
    guard content["enum"] != nil else {
      return (plain("String", .string, description), patterns)
    }
    let choices = try required(content.texts("enum"), "enum")
    guard let title = content["title"]?.text else {
      return (plain("String", .string, description), [.anyOf(choices)] + patterns)
    }
    return (plain(title, .choices(choices), description), patterns)
  }

  private func bounds(_ content: GeneratedContent) throws -> [GenerationConstraint] {
    [
      try content.number("minimum").map(GenerationConstraint.minimum),
      try content.number("maximum").map(GenerationConstraint.maximum),
    ].compactMap(\.self)
  }

  /// Checks that a bound is one that an integer can have.
  private func whole(_ bound: GenerationConstraint) throws -> GenerationConstraint {
    switch bound {
    case .minimum(let number) where !number.isWhole, .maximum(let number) where !number.isWhole:
      throw Fault(problem: "The bound \(number.text) of an integer must be a whole number.")
    default: return bound
    }
  }

  private func required<Value>(_ value: Value?, _ key: String) throws -> Value {
    guard let value else { throw Fault(problem: "A schema of this kind needs '\(key)'.") }
    return value
  }
}

extension GeneratedContent {
  fileprivate func texts(_ key: String) -> [String]? {
    guard let value = self[key] else { return nil }
    return try? [String](value)
  }

  fileprivate func number(_ key: String) throws -> JSONNumber? {
    guard let value = self[key] else { return nil }
    guard let number = value.number else {
      throw SchemaReader.Fault(problem: "'\(key)' must be a number.")
    }
    return number
  }

  fileprivate func whole(_ key: String) throws -> Int? {
    guard let number = try number(key) else { return nil }
    guard let count = try? number.integer(Int.self), count >= 0 else {
      throw SchemaReader.Fault(problem: "'\(key)' must be a non-negative whole number.")
    }
    return count
  }

  /// Whether the content says nothing about what is generated.
  fileprivate var hasNoShape: Bool {
    guard case .structure(_, let keys) = kind else { return false }
    return keys.allSatisfy { $0 == "description" || $0 == "title" }
  }
}
