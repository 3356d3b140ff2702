/// A description of what a model must generate: the shape of a value and the bounds on its parts.
///
/// A schema is built from types or at run time, and is rendered as JSON Schema with its keys in a
/// fixed order, so a prompt that contains it is the same text in every process. Its encoded form is
/// FoundationModels' own dialect of JSON Schema, with `title` and `x-order`.
public struct GenerationSchema: Sendable {
  /// The name of what the schema describes: a type's name, or a name that it was given.
  public internal(set) var name: String
  var description: String?
  let shape: Shape
  /// The type that the schema describes, by which its parts can refer to it.
  private(set) var type: (any Generable.Type)?
  /// The schemas to which references among the parts resolve.
  var definitions: [String: GenerationSchema] = [:]
  /// The name of the whole among its definitions, or `nil` if no part refers to it by name.
  var rootReference: String?
  /// The bounds that apply to the whole wherever it is used.
  var rootConstraints: [GenerationConstraint] = []

  /// The kinds of values.
  indirect enum Shape: Sendable {
    case any, null, boolean, string, integer, number
    case choices([String])
    case array(of: Part)
    case object([Property], nilIsNull: Bool = false)
    /// An object with any keys, whose values follow the part, if there is one.
    case map(of: Part?)
    case anyOf([Part])
  }

  /// A part of a schema, with the bounds that apply at its position.
  ///
  /// Types and references are named rather than expanded, so that a type may contain itself.
  struct Part: Sendable {
    indirect enum Kind: Sendable {
      case type(any Generable.Type)
      case schema(GenerationSchema)
      case reference(String)
    }

    let kind: Kind
    var constraints: [GenerationConstraint] = []

    static func type(_ type: any Generable.Type) -> Part { Part(kind: .type(type)) }
  }

  init(name: String, description: String? = nil, shape: Shape) {
    self.name = name
    self.description = description
    self.shape = shape
  }

  /// Creates the schema of an object that no type describes.
  package init(name: String, properties: [Property]) {
    self.init(name: name, shape: .object(properties))
  }

  /// Creates the schema of an object.
  ///
  /// - Parameters:
  ///   - name: The name shown to the model, or `nil` to use the type's name.
  ///   - type: The type whose values the schema describes.
  ///   - description: What the object is for, in words for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether the model generates `null` for an
  ///     optional property without a value, rather than leaving it out.
  ///   - properties: The properties, in declaration order.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    representNilExplicitlyInGeneratedContent: Bool = false,
    properties: [Property]
  ) {
    self.init(
      name: name ?? TypeNames.name(of: type),
      description: description,
      shape: .object(properties, nilIsNull: representNilExplicitlyInGeneratedContent)
    )
    self.type = type
  }

  /// Creates the schema of a string that is one of several choices.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    anyOf choices: [String]
  ) {
    self.init(
      name: name ?? TypeNames.name(of: type),
      description: description,
      shape: .choices(choices)
    )
    self.type = type
  }

  /// Creates the schema of a value that is of one of several types.
  public init(
    name: String? = nil,
    type: any Generable.Type,
    description: String? = nil,
    anyOf types: [any Generable.Type]
  ) {
    self.init(
      name: name ?? TypeNames.name(of: type),
      description: description,
      shape: .anyOf(types.map { Part.type($0) })
    )
    self.type = type
  }
}

extension GenerationSchema: Equatable, CustomDebugStringConvertible {
  /// Returns whether two schemas render as the same JSON Schema under the same name.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.jsonSchema == right.jsonSchema
  }

  /// The schema as JSON Schema.
  public var debugDescription: String { jsonSchema.jsonString }
}
