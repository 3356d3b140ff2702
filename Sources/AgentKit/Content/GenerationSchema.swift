/// What a model must generate: the shape of a value, and the bounds on its parts.
///
/// A schema is built from types or at run time, and rendered as JSON Schema with its keys in one
/// fixed order, so that a prompt which holds it is the same text in every process. Its coded form is
/// FoundationModels' own dialect of JSON Schema, with `title` and `x-order`.
public struct GenerationSchema: Sendable {
  /// The name of what the schema describes: a type's name, or the name that it was given.
  public internal(set) var name: String
  var description: String?
  let shape: Shape
  /// The type that is described, by which a part of it can refer to it.
  private(set) var type: (any Generable.Type)?
  /// What the references among its parts mean.
  var definitions: [String: GenerationSchema] = [:]
  /// What the whole is called among its definitions; `nil` when no part refers to it by a name.
  var rootReference: String?
  /// The bounds that hold for the whole, wherever it stands.
  var rootConstraints: [GenerationConstraint] = []

  /// The kinds of values.
  indirect enum Shape: Sendable {
    case any, null, boolean, string, integer, number
    case choices([String])
    case array(of: Part)
    case object([Property], nilIsNull: Bool = false)
    case anyOf([Part])
  }

  /// A part of a schema, with the bounds that hold where it stands.
  ///
  /// Types and references are named and not expanded, so that a type may contain itself.
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

  /// The schema of an object.
  /// - Parameters:
  ///   - name: Shown to the model; the type's name when `nil`.
  ///   - type: The type whose values the schema describes.
  ///   - description: What the object is for, in words for the model.
  ///   - representNilExplicitlyInGeneratedContent: Whether the model generates `null` for an optional
  ///     property that has no value, in its place, and does not leave it out.
  ///   - properties: The properties, in the order in which they are declared.
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
      shape: .object(properties, nilIsNull: representNilExplicitlyInGeneratedContent)
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
      shape: .anyOf(types.map { Part.type($0) })
    )
    self.type = type
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
