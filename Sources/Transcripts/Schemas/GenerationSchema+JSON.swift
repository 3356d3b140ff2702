extension GenerationSchema {
  /// The schema as JSON Schema.
  ///
  /// Keys are ordered as type, description, bounds, properties, required, which is their order in
  /// the tool definitions that models are trained on.
  package var jsonSchema: GeneratedContent {
    var renderer = SchemaRenderer(self)
    return renderer.render()
  }

  /// The schema in the form that servers call strict, or `nil` if it has no such form.
  ///
  /// In that form, an object has all of its properties and no others; a property that may be
  /// missing can be null instead.
  package var strictSchema: GeneratedContent? {
    guard case .object = shape else { return nil }
    var renderer = SchemaRenderer(self, form: .strict)
    let content = renderer.render()
    return renderer.isOpen ? nil : content
  }

  /// Returns the schema as JSON Schema for a grammar, with marks in place of bounded numbers.
  ///
  /// - Parameters:
  ///   - keepsOrder: Whether an optional property that precedes a required one is always written,
  ///     as null if necessary. Grammars put optional properties after required ones, so a model
  ///     would otherwise decide before it has reasoned.
  ///   - number: The number of the schema in a grammar of several. llama.cpp takes definitions of
  ///     the same name for the same, whichever schema they belong to.
  /// - Returns: The schema, or `nil` if it does not differ from `jsonSchema`.
  package func grammarSchema(keepsOrder: Bool, number: Int? = nil) -> GeneratedContent? {
    var renderer = SchemaRenderer(self, form: .grammar(keepsOrder: keepsOrder), number: number)
    let content = renderer.render()
    return renderer.differs ? content : nil
  }

  /// Why no model can follow the schema, or `nil` if one can.
  package var flaw: String? {
    var renderer = SchemaRenderer(self)
    _ = renderer.render()
    return renderer.flaw
  }
}

/// A renderer that names schemas that contain themselves instead of following them forever.
private struct SchemaRenderer {
  private typealias Fields = [(String, any ConvertibleToGeneratedContent)]

  /// The reader for whom the schema is rendered.
  enum Form: Equatable { case plain, strict, grammar(keepsOrder: Bool) }

  private let root: GenerationSchema
  private var scope: SchemaScope
  /// The schemas being rendered, and the names of those that contain themselves.
  private var open: Set<SchemaScope.Identity> = []
  private var recursive: [SchemaScope.Identity: String] = [:]
  private var hoisted: Fields = []
  /// The current depth, and the number of parts so far.
  ///
  /// A part that is referenced twice is rendered, and counted, twice.
  private var depth = 0
  private var count = 0
  private static let maximumDepth = 256
  private static let maximumCount = 20_000
  private let form: Form
  /// The end of the names of definitions that no other schema of the same grammar may share.
  private let suffix: String
  /// Whether a grammar needs a schema other than the plain one.
  private(set) var differs = false
  /// Whether some part of the schema allows any content.
  private(set) var isOpen = false
  private(set) var flaw: String?
  /// The names of the properties that lead to the current part.
  private var path: [String] = []

  init(_ root: GenerationSchema, form: Form = .plain, number: Int? = nil) {
    self.root = root
    self.form = form
    suffix = number.map { "-\($0)" } ?? ""
    scope = SchemaScope(root)
  }

  mutating func render() -> GeneratedContent {
    let identity = scope.rootIdentity
    if let identity { open.insert(identity) }
    var fields = self.fields(of: root, constraints: root.rootConstraints, description: nil)
    if let identity, let name = recursive[identity] { hoisted.append((name, object(fields))) }
    if !hoisted.isEmpty { fields.append(("$defs", object(hoisted))) }
    return object(fields)
  }

  private mutating func fields(
    of schema: GenerationSchema,
    constraints: [GenerationConstraint],
    description: String?
  ) -> Fields {
    var fields: Fields = []
    if schema.shape.isNumber, case .grammar = form,
      let bounds = NumberBounds(constraints, isWhole: schema.shape.isInteger)
    {
      differs = true
      // In a list, because templates that give each argument its own tag take no text from a
      // grammar.
      return [("const", [bounds.mark])]
    }
    if let type = schema.shape.jsonType { fields.append(("type", type)) }
    if let description = description ?? schema.description {
      fields.append(("description", description))
    }
    switch schema.shape {
    case .any: isOpen = true
    case .null, .boolean, .string, .integer, .number: break
    case .choices(let choices):
      if choices.isEmpty { note(GenerationConstraint.noChoices) }
      fields.append(("enum", choices))
    case .array(var element):
      for case .element(let constraints) in constraints { element.constraints += constraints }
      fields.append(("items", render(element, description: nil)))
    case .object(let properties, let nilIsNull):
      let lastRequired =
        form == .grammar(keepsOrder: true) ? properties.lastIndex { !$0.isOptional } ?? 0 : 0
      var (rendered, required): (Fields, [String]) = ([], [])
      for (index, property) in properties.enumerated() {
        let holdsPlace = property.isOptional && index < lastRequired
        if holdsPlace, !nilIsNull { differs = true }
        let nilIsNull = nilIsNull || holdsPlace || form == .strict
        rendered.append((property.name, render(property, nilIsNull: nilIsNull)))
        if nilIsNull || !property.isOptional { required.append(property.name) }
      }
      fields.append(("properties", object(rendered)))
      fields.append(("required", required))
      if form == .strict { fields.append(("additionalProperties", false)) }
    case .map(let value):
      isOpen = true
      if let value { fields.append(("additionalProperties", render(value, description: nil))) }
    case .anyOf(let parts):
      if parts.isEmpty { note("The list of types is empty. Give at least one type.") }
      let choices = parts.map { render($0, description: nil) }
      fields.append(("anyOf", GeneratedContent(kind: .array(choices))))
    }
    if let contradiction = constraints.contradiction { note(contradiction) }
    var isForGrammar = false
    if case .grammar = form { isForGrammar = true }
    for constraint in constraints.merged {
      do {
        try constraint.write(to: &fields, forGrammar: isForGrammar)
        if isForGrammar, constraint.differsInGrammar { differs = true }
      } catch {
        note(error.problem)
      }
    }
    return fields
  }

  /// Notes why the current part cannot be generated; of several reasons, the first one counts.
  private mutating func note(_ problem: String) {
    guard flaw == nil else { return }
    flaw = path.isEmpty ? problem : "In the property '\(path.joined(separator: "."))': \(problem)"
  }

  private mutating func render(
    _ property: GenerationSchema.Property,
    nilIsNull: Bool
  ) -> GeneratedContent {
    path.append(property.name)
    defer { path.removeLast() }
    guard property.isOptional, nilIsNull else {
      return render(property.part, description: property.description)
    }
    let value = render(property.part, description: nil)
    let null = GeneratedContent(properties: ["type": "null"])
    let choices = GeneratedContent(kind: .array([value, null]))
    let description = property.description.map { [("description", $0)] } ?? []
    return object(description + [("anyOf", choices)])
  }

  private mutating func render(
    _ part: GenerationSchema.Part,
    description: String?
  ) -> GeneratedContent {
    count += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth, count <= Self.maximumCount else {
      flaw = flaw ?? "It is too large when written out."
      return object([])
    }
    let found = scope.find(part)
    if let name = found.missing {
      flaw = flaw ?? "It refers to '\(name)', which does not exist."
      // Equality compares this output, so schemas that differ only here must render differently.
      return object([("$ref", name)] + (description.map { [("description", $0)] } ?? []))
    }
    let outer = scope
    scope = found.scope
    defer { scope = outer }
    let (schema, constraints) = (found.schema, found.constraints)
    guard let identity = found.identity else {
      return object(fields(of: schema, constraints: constraints, description: description))
    }
    if let name = recursive[identity] { return reference(to: name, description: description) }
    if open.contains(identity) {
      // Types in different scopes may share a name.
      let name = (schema.name + suffix).unused(in: Set(recursive.values))
      if !suffix.isEmpty { differs = true }
      recursive[identity] = name
      return reference(to: name, description: description)
    }
    open.insert(identity)
    let fields = self.fields(of: schema, constraints: constraints, description: description)
    open.remove(identity)
    guard let name = recursive[identity] else { return object(fields) }
    let own = schema.rootConstraints
    let definition = self.fields(of: schema, constraints: own, description: nil)
    hoisted.append((name, object(definition)))
    return reference(to: name, description: description)
  }

  private func reference(to name: String, description: String?) -> GeneratedContent {
    let fields: Fields = [("$ref", "#/$defs/\(name)")]
    // Strict servers accept nothing beside a reference.
    guard let description, form != .strict else { return object(fields) }
    return object(fields + [("description", description)])
  }

  private func object(_ fields: Fields) -> GeneratedContent {
    GeneratedContent(properties: fields, uniquingKeysWith: { first, _ in first })
  }
}

extension GenerationSchema.Shape {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }

  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }

  var jsonType: String? {
    switch self {
    case .any, .anyOf: nil
    case .null: "null"
    case .boolean: "boolean"
    case .string, .choices: "string"
    case .integer: "integer"
    case .number: "number"
    case .array: "array"
    case .object, .map: "object"
    }
  }
}

extension String {
  /// Returns the string, with a number behind it if it is used.
  func unused(in used: Set<String>) -> String {
    guard used.contains(self) else { return self }
    var number = 2
    while used.contains("\(self)\(number)") { number += 1 }
    return "\(self)\(number)"
  }
}
