/// A schema that is put together at run time.
///
/// ```swift
/// let dish = DynamicGenerationSchema(name: "Dish", anyOf: menu.map(\.title))
/// let order = DynamicGenerationSchema(
///   name: "Order",
///   properties: [
///     .init(name: "dish", schema: DynamicGenerationSchema(referenceTo: "Dish")),
///     .init(name: "count", schema: DynamicGenerationSchema(type: Int.self, guides: [.range(1...9)])),
///   ]
/// )
/// let schema = try GenerationSchema(root: order, dependencies: [dish])
/// ```
///
/// What a model generates by it is `GeneratedContent`. The declarations come from FoundationModels.
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

  /// The schema of an object.
  public init(name: String, description: String? = nil, properties: [Property]) {
    self.init(.object(name: name, description: description, nilIsNull: false, properties))
  }

  /// The schema of an object, with a say in what becomes of optional properties without a value.
  /// - Parameter representNilExplicitlyInGeneratedContent: Whether `null` is generated for them, in
  ///   their place; otherwise they are left out.
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

  /// The schema of a value that follows one of several schemas.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.init(.union(name: name, description: description, choices))
  }

  /// The schema of a text that is one of several.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.init(.choice(name: name, description: description, choices))
  }

  /// The schema of a list.
  /// - Parameters:
  ///   - itemSchema: What each element follows.
  ///   - minimumElements: The least number of elements.
  ///   - maximumElements: The greatest number of elements.
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

  /// The schema of a type, with bounds of its own.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    self.init(.type(type, guides.flatMap(\.constraints)))
  }

  /// The schema that has a name among the dependencies, or the root's own name.
  public init(referenceTo name: String) {
    self.init(.reference(name))
  }

  /// One property of an object.
  public struct Property: Sendable {
    let name: String
    let description: String?
    let schema: DynamicGenerationSchema
    let isOptional: Bool

    /// Makes a property.
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
