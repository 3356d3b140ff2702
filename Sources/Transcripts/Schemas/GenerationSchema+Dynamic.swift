extension GenerationSchema {
  /// Creates a schema from schemas that were assembled at run time.
  ///
  /// - Parameters:
  ///   - root: The schema of the value to generate.
  ///   - dependencies: The schemas to which the root and the other dependencies refer by name.
  /// - Throws: ``GenerationSchema/SchemaError`` if the schemas do not fit together.
  public init(
    root: DynamicGenerationSchema,
    dependencies: [DynamicGenerationSchema]
  ) throws {
    var assembly = SchemaAssembly()
    for dependency in dependencies { _ = try assembly.part(dependency) }
    let part = try assembly.part(root)
    self = try assembly.schema(of: part, root: root.name)
  }
}

extension DynamicGenerationSchema {
  /// The name that the schema was given, or `nil` if it has none.
  var name: String? {
    switch node {
    case .object(let name, _, _, _), .union(let name, _, _), .choice(let name, _, _): name
    case .array, .type, .reference, .null: nil
    }
  }
}

/// Combines several schemas into one, and finds what is wrong with them.
private struct SchemaAssembly {
  private typealias SchemaError = GenerationSchema.SchemaError

  private var named: [String: GenerationSchema] = [:]
  private var references: [String] = []

  /// Returns the part for a schema; named schemas are stored separately and referenced.
  mutating func part(
    _ dynamic: DynamicGenerationSchema
  ) throws -> GenerationSchema.Part {
    switch dynamic.node {
    case .object(let name, let description, let nilIsNull, let properties):
      return try define(
        name,
        description,
        .object(try self.properties(of: name, properties), nilIsNull: nilIsNull)
      )
    case .union(let name, let description, let choices):
      try check(choices.isEmpty, name)
      return try define(name, description, .anyOf(try choices.map { try part($0) }))
    case .choice(let name, let description, let choices):
      try check(choices.isEmpty, name)
      return try define(name, description, .choices(choices))
    case .array(let element, let constraints):
      let item = try part(element)
      let schema = GenerationSchema(
        name: "Array<\(element.displayName)>",
        shape: .array(of: item)
      )
      return .init(kind: .schema(schema), constraints: constraints)
    case .type(let type, let constraints):
      return .init(kind: .type(type), constraints: constraints)
    case .reference(let name):
      references.append(name)
      return .init(kind: .reference(name))
    case .null:
      return .init(kind: .schema(GenerationSchema(name: "Null", shape: .null)))
    }
  }

  /// Returns the schema whose outermost part is the given one.
  func schema(of part: GenerationSchema.Part, root: String?) throws -> GenerationSchema {
    let missing = Set(references).subtracting(named.keys).sorted()
    guard missing.isEmpty else {
      throw SchemaError.undefinedReferences(
        schema: root,
        references: missing,
        context: .init(
          debugDescription:
            "Nothing is named \(missing.map { "'\($0)'" }.joined(separator: ", "))."
        )
      )
    }
    var schema: GenerationSchema
    switch part.kind {
    case .reference(let name):
      guard let found = named[name] else { return GenerationSchema(name: name, shape: .any) }
      schema = found
      schema.rootReference = name
    case .schema(let own): schema = own
    case .type(let type):
      schema = type.generationSchema
      schema.rootConstraints += part.constraints
      return schema
    }
    schema.rootConstraints += part.constraints
    schema.definitions = named
    return schema
  }

  private mutating func properties(
    of schema: String,
    _ properties: [DynamicGenerationSchema.Property]
  ) throws -> [GenerationSchema.Property] {
    var names: Set<String> = []
    return try properties.map { property in
      guard names.insert(property.name).inserted else {
        throw SchemaError.duplicateProperty(
          schema: schema,
          property: property.name,
          context: .init(
            debugDescription: "'\(schema)' has two properties named '\(property.name)'."
          )
        )
      }
      return GenerationSchema.Property(
        name: property.name,
        description: property.description,
        part: try part(property.schema),
        isOptional: property.isOptional
      )
    }
  }

  private mutating func define(
    _ name: String,
    _ description: String?,
    _ shape: GenerationSchema.Shape
  ) throws -> GenerationSchema.Part {
    let schema = GenerationSchema(name: name, description: description, shape: shape)
    // The same schema may be used in several places. References are not followed here, so schemas
    // that refer to different ones are told apart by the names.
    if let known = named[name], known != schema {
      throw SchemaError.duplicateType(
        schema: nil,
        type: name,
        context: .init(debugDescription: "Two different schemas are named '\(name)'.")
      )
    }
    named[name] = schema
    return .init(kind: .reference(name))
  }

  private func check(_ isEmpty: Bool, _ name: String) throws {
    guard isEmpty else { return }
    throw SchemaError.emptyTypeChoices(
      schema: name,
      context: .init(debugDescription: "'\(name)' has no choices.")
    )
  }
}

extension DynamicGenerationSchema {
  fileprivate var displayName: String {
    switch node {
    case .type(let type, _): type.generationSchema.name
    case .reference(let name): name
    case .array(let element, _): "Array<\(element.displayName)>"
    case .null: "Null"
    case .object, .union, .choice: name ?? ""
    }
  }
}
