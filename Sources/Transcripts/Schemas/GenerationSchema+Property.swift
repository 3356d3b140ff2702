extension GenerationSchema {
  /// A property of an object.
  public struct Property: Sendable {
    /// The name of the property.
    public let name: String
    let description: String?
    let part: Part
    let isOptional: Bool

    init(name: String, description: String?, part: Part, isOptional: Bool) {
      self.name = name
      self.description = description
      self.part = part
      self.isOptional = isOptional
    }

    /// Creates a property that is always generated.
    public init<Value: Generable>(
      name: String,
      description: String? = nil,
      type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      let part = Part(kind: .type(type), constraints: guides.flatMap(\.constraints))
      self.init(name: name, description: description, part: part, isOptional: false)
    }

    /// Creates a property that the model may leave out.
    public init<Value: Generable>(
      name: String,
      description: String? = nil,
      type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      let part = Part(kind: .type(Value.self), constraints: guides.flatMap(\.constraints))
      self.init(name: name, description: description, part: part, isOptional: true)
    }

    /// Creates a string property that is always generated and that a pattern matches.
    ///
    /// Of several patterns, only the last one applies.
    public init<Output>(
      name: String,
      description: String? = nil,
      type: String.Type,
      guides: [Regex<Output>]
    ) {
      let patterns = guides.map { GenerationGuide<String>.pattern($0) }
      self.init(name: name, description: description, type: type, guides: patterns)
    }

    /// Creates a string property that the model may leave out and that a pattern matches.
    ///
    /// Of several patterns, only the last one applies.
    public init<Output>(
      name: String,
      description: String? = nil,
      type: String?.Type,
      guides: [Regex<Output>]
    ) {
      let patterns = guides.map { GenerationGuide<String>.pattern($0) }
      self.init(name: name, description: description, type: type, guides: patterns)
    }
  }
}
