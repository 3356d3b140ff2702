/// What a model must generate: the shape of a value, and the bounds on its parts.
///
/// A schema is built from types and rendered as JSON Schema with its keys in one fixed order, so
/// that a prompt which holds it is the same text in every process.
public struct GenerationSchema: Sendable {
  /// The name of the type that the schema describes.
  public let name: String
  let description: String?
  let shape: Shape
  /// The type that is described, by which a part of it can refer to it.
  private(set) var type: (any Generable.Type)?

  /// The kinds of values.
  ///
  /// Types are named and not expanded, so that a type may contain itself.
  indirect enum Shape: Sendable {
    case any, null, boolean, string, integer, number
    case choices([String])
    case array(of: any Generable.Type)
    case object([Property])
    case anyOf([any Generable.Type])
    case raw(GeneratedContent)
  }

  init(name: String, description: String? = nil, shape: Shape) {
    self.name = name
    self.description = description
    self.shape = shape
  }

  /// The schema of an object.
  /// - Parameters:
  ///   - name: Shown to the model; the type's name when `nil`.
  ///   - type: The type whose values the schema describes.
  ///   - description: What the object is for, in words for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether absent properties are generated as
  ///     `null` and not left out. Optional properties may be left out either way.
  ///   - properties: The properties, in the order in which they are generated.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    representNilExplicitlyInGeneratedContent: Bool = false,
    properties: [Property]
  ) {
    self.init(
      name: name ?? String(describing: type),
      description: description,
      shape: .object(properties)
    )
    self.type = type
  }

  /// The schema of a text that is one of several.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    anyOf choices: [String]
  ) {
    self.init(
      name: name ?? String(describing: type),
      description: description,
      shape: .choices(choices)
    )
    self.type = type
  }

  /// The schema of a value that is of one of several types.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    anyOf types: [any Generable.Type]
  ) {
    self.init(
      name: name ?? String(describing: type),
      description: description,
      shape: .anyOf(types)
    )
    self.type = type
  }

  /// One property of an object.
  public struct Property: Sendable {
    /// The name of the property.
    public let name: String
    let description: String?
    let type: any Generable.Type
    let isOptional: Bool
    let constraints: [GenerationConstraint]

    /// A property that is always generated.
    public init<Value: Generable>(
      name: String,
      description: String? = nil,
      type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.name = name
      self.description = description
      self.type = type
      isOptional = false
      constraints = guides.flatMap(\.constraints)
    }

    /// A text that is always generated, and that patterns match.
    public init<Output>(
      name: String,
      description: String? = nil,
      type: String.Type,
      guides: [Regex<Output>]
    ) {
      let patterns = guides.map { GenerationGuide<String>.pattern($0) }
      self.init(name: name, description: description, type: type, guides: patterns)
    }

    /// A text that the model may leave out, and that patterns match.
    public init<Output>(
      name: String,
      description: String? = nil,
      type: String?.Type,
      guides: [Regex<Output>]
    ) {
      let patterns = guides.map { GenerationGuide<String>.pattern($0) }
      self.init(name: name, description: description, type: type, guides: patterns)
    }

    /// A property that the model may leave out.
    public init<Value: Generable>(
      name: String,
      description: String? = nil,
      type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.name = name
      self.description = description
      self.type = Value.self
      isOptional = true
      constraints = guides.flatMap(\.constraints)
    }
  }
}

extension GenerationSchema: Equatable, CustomDebugStringConvertible {
  /// Equal when both render as the same JSON Schema under the same name.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.jsonSchema == right.jsonSchema
  }

  /// The schema as JSON Schema.
  public var debugDescription: String { jsonSchema.jsonString }
}
