extension GenerationSchema: Codable {
  /// Reads a schema in FoundationModels' dialect of JSON Schema.
  ///
  /// An object states its `title`, `required`, `additionalProperties` and `x-order`, which decides
  /// the order of its properties. Keywords that the dialect does not have are ignored, as
  /// FoundationModels ignores them.
  /// - Throws: `DecodingError` when what is read is no schema of that dialect.
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

  /// Writes the schema in FoundationModels' dialect of JSON Schema.
  public func encode(to encoder: any Encoder) throws {
    var writer = SchemaWriter(self)
    try CodableContent(writer.write()).encode(to: encoder)
  }
}

/// Writes a schema in FoundationModels' dialect: objects and unions inside it are named in `$defs`.
private struct SchemaWriter {
  private typealias Fields = [(String, any ConvertibleToGeneratedContent)]

  private let root: GenerationSchema
  private var names: [ObjectIdentifier: String] = [:]
  private var used: Set<String> = []
  private var hoisted: [String: GeneratedContent] = [:]
  private var definitions: [String: GenerationSchema]

  init(_ root: GenerationSchema) {
    self.root = root
    definitions = root.definitions
    used = Set(root.definitions.keys)
  }

  mutating func write() -> GeneratedContent {
    var fields = self.fields(of: root, title: root.name, description: root.description)
    for constraint in root.rootConstraints.sorted { constraint.writeDialect(to: &fields) }
    if !hoisted.isEmpty {
      let definitions = hoisted.sorted { $0.key < $1.key }
      fields.append(("$defs", object(definitions.map { ($0.key, $0.value) })))
    }
    return object(fields)
  }

  private mutating func fields(
    of schema: GenerationSchema,
    title: String?,
    description: String?
  ) -> Fields {
    var fields: Fields = []
    if let type = schema.shape.jsonType { fields.append(("type", type)) }
    if let title, schema.shape.hasTitle { fields.append(("title", title)) }
    if let description { fields.append(("description", description)) }
    switch schema.shape {
    case .any, .null, .boolean, .string, .integer, .number: break
    case .choices(let choices): fields.append(("enum", choices))
    case .array(let element): fields.append(("items", write(element, description: nil)))
    case .anyOf(let parts):
      let choices = parts.map { write($0, description: nil) }
      fields.append(("anyOf", GeneratedContent(kind: .array(choices))))
    case .object(let properties, let nilIsNull):
      let written = properties.map { property -> (String, any ConvertibleToGeneratedContent) in
        (property.name, write(property.part, description: property.description))
      }
      fields.append(("properties", object(written)))
      fields.append(("required", properties.filter { !$0.isOptional }.map(\.name)))
      fields.append(("additionalProperties", false))
      fields.append(("x-order", properties.map(\.name)))
      // Our own keyword, which others ignore: their dialect has none for it.
      if nilIsNull { fields.append(("x-explicit-null", true)) }
    }
    return fields
  }

  private mutating func write(
    _ part: GenerationSchema.Part,
    description: String?
  ) -> GeneratedContent {
    let (schema, reference) = resolve(part.kind)
    var fields: Fields
    if let reference {
      fields = [("$ref", reference)] + (description.map { [("description", $0)] } ?? [])
    } else {
      fields = self.fields(of: schema, title: nil, description: description ?? schema.description)
    }
    for constraint in part.constraints.sorted { constraint.writeDialect(to: &fields) }
    return object(fields)
  }

  /// What a part is, and how it is referred to where it is.
  private mutating func resolve(
    _ kind: GenerationSchema.Part.Kind
  ) -> (GenerationSchema, reference: String?) {
    switch kind {
    case .schema(let schema): return (schema, nil)
    case .reference(let name):
      let schema = definitions[name] ?? GenerationSchema(name: name, shape: .any)
      return (schema, schema.shape.hasParts ? reference(to: schema, named: name) : nil)
    case .type(let type):
      let schema = type.generationSchema
      return (schema, schema.shape.hasParts ? reference(to: schema, of: type) : nil)
    }
  }

  private mutating func reference(to schema: GenerationSchema, named name: String) -> String {
    if name == root.name { return "#" }
    if hoisted[name] == nil {
      hoisted[name] = GeneratedContent(kind: .null)
      hoisted[name] = object(fields(of: schema, title: name, description: schema.description))
    }
    return "#/$defs/\(name)"
  }

  private mutating func reference(
    to schema: GenerationSchema,
    of type: any Generable.Type
  ) -> String {
    let identity = ObjectIdentifier(type)
    if let own = root.type, ObjectIdentifier(own) == identity { return "#" }
    if let name = names[identity] { return "#/$defs/\(name)" }
    var name = schema.name
    var number = 2
    while used.contains(name) || name == root.name {
      name = "\(schema.name)\(number)"
      number += 1
    }
    names[identity] = name
    used.insert(name)
    let outer = definitions
    if !schema.definitions.isEmpty { definitions = schema.definitions }
    hoisted[name] = object(fields(of: schema, title: name, description: schema.description))
    definitions = outer
    return "#/$defs/\(name)"
  }

  private func object(_ fields: Fields) -> GeneratedContent {
    GeneratedContent(properties: fields, uniquingKeysWith: { first, _ in first })
  }
}

extension GenerationSchema.Shape {
  fileprivate var hasTitle: Bool {
    switch self {
    case .object, .anyOf, .choices: true
    case .any, .null, .boolean, .string, .integer, .number, .array: false
    }
  }
}

extension GenerationConstraint {
  fileprivate func writeDialect(
    to fields: inout [(String, any ConvertibleToGeneratedContent)]
  ) {
    switch self {
    case .pattern(let pattern): fields.append(("pattern", pattern))
    case .unwrittenPattern: break
    case .element(let constraints):
      guard let index = fields.firstIndex(where: { $0.0 == "items" }),
        case .structure(let values, let keys) = fields[index].1.generatedContent.kind
      else { return }
      var items: [(String, any ConvertibleToGeneratedContent)] = keys.compactMap { key in
        values[key].map { (key, $0) }
      }
      for constraint in constraints.sorted { constraint.writeDialect(to: &items) }
      fields[index].1 = GeneratedContent(properties: items, uniquingKeysWith: { _, last in last })
    case .constant, .anyOf, .minimum, .maximum, .minimumCount, .maximumCount:
      // These say the same in both forms, and cannot fail.
      try? write(to: &fields)
    }
  }
}
