extension GenerationSchema {
  /// A schema read from JSON Schema, kept as it is written.
  package init(name: String, jsonSchema: GeneratedContent) {
    self.init(name: name, shape: .raw(jsonSchema))
  }

  /// The schema as JSON Schema.
  ///
  /// The order of keys is type, description, bounds, properties, required: the order that tool
  /// definitions have in the chats that models are trained on.
  package var jsonSchema: GeneratedContent {
    var renderer = SchemaRenderer()
    return renderer.render(self)
  }
}

/// Renders a schema, and names types that contain themselves instead of following them for ever.
private struct SchemaRenderer {
  /// The types that are being rendered, and those that contain themselves.
  private var open: Set<ObjectIdentifier> = []
  private var recursive: [ObjectIdentifier: String] = [:]
  private var definitions: Fields = []

  mutating func render(_ schema: GenerationSchema) -> GeneratedContent {
    let identity = schema.type.map { ObjectIdentifier($0) }
    if let identity { open.insert(identity) }
    var fields = self.fields(of: schema, constraints: [], description: nil)
    if let identity, let name = recursive[identity] { definitions.append((name, object(fields))) }
    if !definitions.isEmpty {
      fields.append(("$defs", object(definitions)))
    }
    return object(fields)
  }

  private typealias Fields = [(String, any ConvertibleToGeneratedContent)]

  private mutating func fields(
    of schema: GenerationSchema,
    constraints: [GenerationConstraint],
    description: String?
  ) -> Fields {
    if case .raw(let content) = schema.shape,
      case .structure(let properties, let keys) = content.kind
    {
      return keys.compactMap { key in properties[key].map { (key, $0) } }
    }
    var fields: Fields = []
    if let type = schema.shape.jsonType { fields.append(("type", type)) }
    if let description = description ?? schema.description {
      fields.append(("description", description))
    }
    switch schema.shape {
    case .any, .null, .boolean, .string, .integer, .number, .raw: break
    case .choices(let choices): fields.append(("enum", choices))
    case .array(let element):
      let inner = constraints.flatMap { constraint -> [GenerationConstraint] in
        if case .element(let constraints) = constraint { constraints } else { [] }
      }
      fields.append(("items", render(element, constraints: inner, description: nil)))
    case .object(let properties):
      let rendered = properties.map { property in
        (
          property.name,
          render(
            property.type,
            constraints: property.constraints,
            description: property.description
          ) as any ConvertibleToGeneratedContent
        )
      }
      fields.append(("properties", object(rendered)))
      fields.append(("required", properties.filter { !$0.isOptional }.map(\.name)))
    case .anyOf(let types):
      let choices = types.map { render($0, constraints: [], description: nil) }
      fields.append(("anyOf", GeneratedContent(kind: .array(choices))))
    }
    for constraint in constraints { constraint.write(to: &fields) }
    return fields
  }

  private mutating func render(
    _ type: any Generable.Type,
    constraints: [GenerationConstraint],
    description: String?
  ) -> GeneratedContent {
    let schema = type.generationSchema
    // Only a type with parts can contain itself. An array goes by its elements: all arrays have one
    // name.
    guard schema.shape.hasParts else {
      return object(fields(of: schema, constraints: constraints, description: description))
    }
    let identity = ObjectIdentifier(type)
    if let name = recursive[identity] { return reference(to: name, description: description) }
    if open.contains(identity) {
      let name = unusedName(schema.name)
      recursive[identity] = name
      return reference(to: name, description: description)
    }
    open.insert(identity)
    let fields = self.fields(of: schema, constraints: constraints, description: description)
    open.remove(identity)
    guard let name = recursive[identity] else { return object(fields) }
    let definition = self.fields(of: schema, constraints: [], description: nil)
    definitions.append((name, object(definition)))
    return reference(to: name, description: description)
  }

  private func reference(to name: String, description: String?) -> GeneratedContent {
    let fields: Fields = [("$ref", "#/$defs/\(name)")]
    return object(fields + (description.map { [("description", $0)] } ?? []))
  }

  /// Types in different scopes may have one name.
  private func unusedName(_ name: String) -> String {
    let used = Set(recursive.values)
    var candidate = name
    var number = 2
    while used.contains(candidate) {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }

  private func object(_ fields: Fields) -> GeneratedContent {
    GeneratedContent(properties: fields, uniquingKeysWith: { first, _ in first })
  }
}

extension GenerationSchema.Shape {
  fileprivate var hasParts: Bool {
    switch self {
    case .object, .anyOf: true
    case .any, .null, .boolean, .string, .integer, .number, .choices, .array, .raw: false
    }
  }

  fileprivate var jsonType: String? {
    switch self {
    case .any, .anyOf, .raw: nil
    case .null: "null"
    case .boolean: "boolean"
    case .string, .choices: "string"
    case .integer: "integer"
    case .number: "number"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension GenerationConstraint {
  fileprivate func write(
    to fields: inout [(String, any ConvertibleToGeneratedContent)]
  ) {
    switch self {
    case .constant(let value): fields.append(("const", value))
    case .anyOf(let values): fields.append(("enum", values))
    case .pattern(let pattern): fields.append(("pattern", "^(\(pattern))$"))
    case .minimum(let value): fields.append(("minimum", value))
    case .maximum(let value): fields.append(("maximum", value))
    case .minimumCount(let count): fields.append(("minItems", count))
    case .maximumCount(let count): fields.append(("maxItems", count))
    case .element: break
    }
  }
}
