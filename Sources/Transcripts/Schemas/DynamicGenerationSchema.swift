/// A schema that is assembled at run time.
///
/// ```swift
/// let dish = DynamicGenerationSchema(name: "Dish", anyOf: menu.map(\.title))
/// let order = DynamicGenerationSchema(
///   name: "Order",
///   properties: [
///     .init(name: "dish", schema: DynamicGenerationSchema(referenceTo: "Dish")),
///     .init(
///       name: "count",
///       schema: DynamicGenerationSchema(type: Int.self, guides: [.range(1...9)])
///     ),
///   ]
/// )
/// let schema = try GenerationSchema(root: order, dependencies: [dish])
/// ```
///
/// A model generates ``GeneratedContent`` from it. The declarations come from FoundationModels.
public struct DynamicGenerationSchema: Sendable {
  indirect enum Node: Sendable {
    case object(name: String, description: String?, nilIsNull: Bool, [Property])
    case union(name: String, description: String?, [DynamicGenerationSchema])
    case choice(name: String, description: String?, [String])
    case array(of: DynamicGenerationSchema, [GenerationConstraint])
    case type(any Generable.Type, [GenerationConstraint])
    case reference(String)
    case null
  }

  let node: Node

  private init(_ node: Node) {
    self.node = node
  }

  /// The schema of `null`.
  public static var null: DynamicGenerationSchema { .init(.null) }

  /// Creates the schema of an object.
  public init(name: String, description: String? = nil, properties: [Property]) {
    self.init(.object(name: name, description: description, nilIsNull: false, properties))
  }

  /// Creates the schema of an object, specifying how optional properties without a value are
  /// generated.
  ///
  /// - Parameters:
  ///   - name: The name of the schema.
  ///   - description: What the object is for, in words for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether such a property is generated as `null`;
  ///     if `false`, it is left out.
  ///   - properties: The properties, in order.
  public init(
    name: String,
    description: String? = nil,
    representNilExplicitlyInGeneratedContent: Bool,
    properties: [Property]
  ) {
    self.init(
      .object(
        name: name,
        description: description,
        nilIsNull: representNilExplicitlyInGeneratedContent,
        properties
      )
    )
  }

  /// Creates the schema of a value that follows one of several schemas.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.init(.union(name: name, description: description, choices))
  }

  /// Creates the schema of a string that is one of several choices.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.init(.choice(name: name, description: description, choices))
  }

  /// Creates the schema of an array.
  ///
  /// - Parameters:
  ///   - itemSchema: The schema of each element.
  ///   - minimumElements: The minimum number of elements.
  ///   - maximumElements: The maximum number of elements.
  public init(
    arrayOf itemSchema: DynamicGenerationSchema,
    minimumElements: Int? = nil,
    maximumElements: Int? = nil
  ) {
    let bounds = [
      minimumElements.map(GenerationConstraint.minimumCount),
      maximumElements.map(GenerationConstraint.maximumCount),
    ]
    self.init(.array(of: itemSchema, bounds.compactMap(\.self)))
  }

  /// Creates the schema of a type, with additional bounds.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    self.init(.type(type, guides.flatMap(\.constraints)))
  }

  /// Creates a reference to a schema among the dependencies, or to the root by its name.
  public init(referenceTo name: String) {
    self.init(.reference(name))
  }

  /// A property of an object.
  public struct Property: Sendable {
    let name: String
    let description: String?
    let schema: DynamicGenerationSchema
    let isOptional: Bool

    /// Creates a property.
    public init(
      name: String,
      description: String? = nil,
      schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      self.name = name
      self.description = description
      self.schema = schema
      self.isOptional = isOptional
    }
  }
}
