/// The definitions to which references among the parts of a schema resolve.
///
/// They belong to the whole, or to a type inside it that brings its own.
struct SchemaScope {
  /// The identity of a part that may contain itself: its type, or its name within a scope.
  enum Identity: Hashable {
    case type(ObjectIdentifier)
    case name(String, owner: ObjectIdentifier?)
  }

  /// A part of a schema, resolved at its position.
  struct Found {
    let schema: GenerationSchema
    /// The schema's own bounds, followed by those of the part's position.
    let constraints: [GenerationConstraint]
    /// The scope in which references among its own parts resolve.
    let scope: SchemaScope
    /// The part's identity, or `nil` if it cannot contain itself.
    var identity: Identity?
    /// The name that the part refers to, if nothing has that name.
    var missing: String?
  }

  private let whole: GenerationSchema
  /// The type that brings the definitions, or `nil` for those of the outermost schema.
  private let owner: ObjectIdentifier?

  init(_ whole: GenerationSchema) {
    self.init(whole, owner: nil)
  }

  private init(_ whole: GenerationSchema, owner: ObjectIdentifier?) {
    self.whole = whole
    self.owner = owner
  }

  /// The identity of the outermost schema, or `nil` if no part of it can be the whole.
  var rootIdentity: Identity? {
    if let type = whole.type { return .type(ObjectIdentifier(type)) }
    return whole.rootReference.map { Identity.name($0, owner: nil) }
  }

  func find(_ part: GenerationSchema.Part) -> Found {
    switch part.kind {
    case .schema(let schema): return resolved(schema, for: part, in: self)
    case .type(let type):
      let (schema, identity) = (type.generationSchema, ObjectIdentifier(type))
      let scope = schema.definitions.isEmpty ? self : SchemaScope(schema, owner: identity)
      var found = resolved(schema, for: part, in: scope)
      // An array is identified by its elements, because all arrays of a type share a name.
      if schema.shape.hasParts { found.identity = .type(identity) }
      return found
    case .reference(let name):
      guard let schema = whole.definitions[name] else {
        var found = resolved(GenerationSchema(name: name, shape: .any), for: part, in: self)
        found.missing = name
        return found
      }
      var found = resolved(schema, for: part, in: self)
      if schema.shape.hasParts || schema.shape.hasElements {
        found.identity = identity(named: name)
      }
      return found
    }
  }

  /// Returns the identity of a name; a reference to the whole of a type's schema is the type
  /// itself.
  private func identity(named name: String) -> Identity {
    guard let owner, name == whole.rootReference else { return .name(name, owner: owner) }
    return .type(owner)
  }

  private func resolved(
    _ schema: GenerationSchema,
    for part: GenerationSchema.Part,
    in scope: SchemaScope
  ) -> Found {
    let constraints = schema.rootConstraints + part.constraints
    return Found(schema: schema, constraints: constraints, scope: scope)
  }
}

extension GenerationSchema.Shape {
  /// Whether it is an object or a union, which may contain itself.
  var hasParts: Bool {
    switch self {
    case .object, .anyOf: true
    case .any, .null, .boolean, .string, .integer, .number, .choices, .array, .map: false
    }
  }

  fileprivate var hasElements: Bool {
    switch self {
    case .array, .map: true
    default: false
    }
  }
}
