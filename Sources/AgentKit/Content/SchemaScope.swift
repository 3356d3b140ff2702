/// Where the references among the parts of a schema lead: to the definitions of the whole, or to
/// those that a type inside it brings along.
struct SchemaScope {
  /// What a part that may contain itself is known by: its type, or its name in one scope.
  enum Identity: Hashable {
    case type(ObjectIdentifier)
    case name(String, owner: ObjectIdentifier?)
  }

  /// A part of a schema as it is where it stands.
  struct Found {
    let schema: GenerationSchema
    /// The schema's own bounds, and behind them those of the place where the part stands.
    let constraints: [GenerationConstraint]
    /// Where the references among its own parts lead.
    let scope: SchemaScope
    /// `nil` for what cannot contain itself.
    var identity: Identity?
    /// The name to which it refers, when nothing is called so.
    var missing: String?
  }

  private let whole: GenerationSchema
  /// The type that brings the definitions along; `nil` for those of the outermost schema.
  private let owner: ObjectIdentifier?

  init(_ whole: GenerationSchema) {
    self.init(whole, owner: nil)
  }

  private init(_ whole: GenerationSchema, owner: ObjectIdentifier?) {
    self.whole = whole
    self.owner = owner
  }

  /// What the outermost schema is known by; `nil` when no part of it can be the whole.
  var rootIdentity: Identity? {
    if let type = whole.type { return .type(ObjectIdentifier(type)) }
    return whole.rootReference.map { Identity.name($0, owner: nil) }
  }

  /// Looks up what a part is.
  func find(_ part: GenerationSchema.Part) -> Found {
    switch part.kind {
    case .schema(let schema): return resolved(schema, for: part, in: self)
    case .type(let type):
      let (schema, identity) = (type.generationSchema, ObjectIdentifier(type))
      let scope = schema.definitions.isEmpty ? self : SchemaScope(schema, owner: identity)
      var found = resolved(schema, for: part, in: scope)
      // An array goes by its elements: all arrays of a type have one name.
      if schema.shape.hasParts { found.identity = .type(identity) }
      return found
    case .reference(let name):
      guard let schema = whole.definitions[name] else {
        var found = resolved(GenerationSchema(name: name, shape: .any), for: part, in: self)
        found.missing = name
        return found
      }
      var found = resolved(schema, for: part, in: self)
      if schema.shape.hasParts || schema.shape.isArray { found.identity = identity(named: name) }
      return found
    }
  }

  /// A type and the reference to the whole of what it brings along are one.
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
    case .any, .null, .boolean, .string, .integer, .number, .choices, .array: false
    }
  }

  fileprivate var isArray: Bool {
    if case .array = self { true } else { false }
  }
}
