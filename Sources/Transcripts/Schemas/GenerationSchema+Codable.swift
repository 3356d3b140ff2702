extension GenerationSchema: Codable {
  /// Decodes a schema from FoundationModels' dialect of JSON Schema.
  ///
  /// An object states its `title`, `required`, `additionalProperties` and `x-order`, which
  /// determines the order of its properties. Keywords that are not part of the dialect are ignored,
  /// as they are by FoundationModels.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the input is not a schema in that dialect.
  public init(from decoder: any Decoder) throws {
    let content = try CodableContent(from: decoder).content
    do {
      self = try SchemaReader.read(content)
    } catch let fault as SchemaReader.Fault {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: fault.problem)
      )
    }
  }

  /// Encodes the schema in FoundationModels' dialect of JSON Schema.
  public func encode(to encoder: any Encoder) throws {
    var writer = SchemaWriter(self)
    try CodableContent(writer.write()).encode(to: encoder)
  }
}

/// A writer of FoundationModels' dialect, which names nested objects and unions in `$defs`.
private struct SchemaWriter {
  private typealias Fields = [(String, any ConvertibleToGeneratedContent)]

  private let root: GenerationSchema
  private let rootIdentity: SchemaScope.Identity?
  private var scope: SchemaScope
  private var names: [SchemaScope.Identity: String] = [:]
  private var used: Set<String>
  private var hoisted: [String: GeneratedContent] = [:]

  init(_ root: GenerationSchema) {
    self.root = root
    scope = SchemaScope(root)
    rootIdentity = scope.rootIdentity
    used = Set(root.definitions.keys).union([root.name])
  }

  mutating func write() -> GeneratedContent {
    var fields = self.fields(
      of: root,
      title: root.name,
      description: root.description,
      constraints: root.rootConstraints
    )
    if !hoisted.isEmpty {
      let definitions = hoisted.sorted { $0.key < $1.key }
      fields.append(("$defs", object(definitions.map { ($0.key, $0.value) })))
    }
    return object(fields)
  }

  private mutating func fields(
    of schema: GenerationSchema,
    title: String?,
    description: String?,
    constraints: [GenerationConstraint]
  ) -> Fields {
    var fields: Fields = []
    if let type = schema.shape.jsonType { fields.append(("type", type)) }
    if let title, schema.shape.hasTitle { fields.append(("title", title)) }
    if let description { fields.append(("description", description)) }
    switch schema.shape {
    case .any, .null, .boolean, .string, .integer, .number: break
    case .choices(let choices): fields.append(("enum", choices))
    case .array(var element):
      for case .element(let bounds) in constraints { element.constraints += bounds }
      fields.append(("items", write(element, description: nil)))
    case .anyOf(let parts):
      let choices = parts.map { write($0, description: nil) }
      fields.append(("anyOf", GeneratedContent(kind: .array(choices))))
    case .map(let value):
      let values: any ConvertibleToGeneratedContent =
        if let value { write(value, description: nil) } else { true }
      fields.append(("additionalProperties", values))
    case .object(let properties, let nilIsNull):
      let written = properties.map { property -> (String, any ConvertibleToGeneratedContent) in
        (property.name, write(property.part, description: property.description))
      }
      fields.append(("properties", object(written)))
      fields.append(("required", properties.filter { !$0.isOptional }.map(\.name)))
      fields.append(("additionalProperties", false))
      fields.append(("x-order", properties.map(\.name)))
      // This keyword is our own, and other readers ignore it: their dialect has no equivalent.
      if nilIsNull { fields.append(("x-explicit-null", true)) }
    }
    for constraint in constraints.merged { constraint.writeDialect(to: &fields) }
    return fields
  }

  private mutating func write(
    _ part: GenerationSchema.Part,
    description: String?
  ) -> GeneratedContent {
    let found = scope.find(part)
    let outer = scope
    scope = found.scope
    defer { scope = outer }
    if let identity = found.identity {
      let fields: Fields = [("$ref", reference(to: found.schema, identity))]
      return object(fields + (description.map { [("description", $0)] } ?? []))
    }
    // A schema that was read inline is written inline again, under its name.
    let title: String? = if case .schema = part.kind { found.schema.name } else { nil }
    return object(
      fields(
        of: found.schema,
        title: title,
        description: description ?? found.schema.description,
        constraints: found.constraints
      )
    )
  }

  /// Returns the reference to a schema, which the first reference adds to the definitions.
  private mutating func reference(
    to schema: GenerationSchema,
    _ identity: SchemaScope.Identity
  ) -> String {
    if identity == rootIdentity { return "#" }
    if let name = names[identity] { return "#/$defs/\(name)" }
    let name = unusedName(for: schema, identity)
    names[identity] = name
    used.insert(name)
    hoisted[name] = object(
      fields(
        of: schema,
        title: schema.name,
        description: schema.description,
        constraints: schema.rootConstraints
      )
    )
    return "#/$defs/\(name)"
  }

  private func unusedName(
    for schema: GenerationSchema,
    _ identity: SchemaScope.Identity
  ) -> String {
    var wanted = schema.name
    if case .name(let name, let owner) = identity {
      // The definitions of the outermost schema keep their own names.
      guard owner != nil else { return name }
      wanted = name
    }
    return wanted.unused(in: used)
  }

  private func object(_ fields: Fields) -> GeneratedContent {
    GeneratedContent(properties: fields, uniquingKeysWith: { first, _ in first })
  }
}

extension GenerationSchema.Shape {
  fileprivate var hasTitle: Bool {
    switch self {
    case .object, .anyOf, .choices: true
    case .any, .null, .boolean, .string, .integer, .number, .array, .map: false
    }
  }
}

extension GenerationConstraint {
  fileprivate func writeDialect(
    to fields: inout [(String, any ConvertibleToGeneratedContent)]
  ) {
    switch self {
    case .pattern(let pattern): fields.append(("pattern", pattern))
    // Bounds on elements are written with the elements.
    case .unwrittenPattern, .element: break
    case .constant, .anyOf, .minimum, .maximum, .minimumCount, .maximumCount:
      // These bounds look the same in both dialects, and writing them cannot fail.
      try? write(to: &fields)
    }
  }
}
