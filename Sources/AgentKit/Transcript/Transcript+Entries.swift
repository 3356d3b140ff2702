extension Transcript {
  /// What an agent was told before a conversation.
  public struct Instructions: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What it was told.
    public var segments: [Segment]
    /// The tools that it had.
    public var toolDefinitions: [ToolDefinition]

    /// Makes an entry.
    public init(
      id: String = newIdentity(),
      segments: [Segment],
      toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// A tool as a model sees it.
  public struct ToolDefinition: Sendable, Equatable {
    /// The name by which the model calls it.
    public var name: String
    /// What it does, in words for the model.
    public var description: String
    /// What its arguments are.
    public var parameters: GenerationSchema

    /// Makes a definition.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }

    /// Takes the definition of a tool.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
    }
  }

  /// What a person or a program said.
  public struct Prompt: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// What was said.
    public var segments: [Segment]
    /// The options that were given with it.
    public var options: GenerationOptions
    /// The context options that were given with it.
    public var contextOptions: ContextOptions
    /// What else was given with it, for the model that answers and for whoever reads the transcript.
    public var metadata: [String: GeneratedContent]
    /// The form that the answer must have; `nil` when it is text.
    public var responseFormat: ResponseFormat?

    /// Makes an entry.
    public init(
      id: String = newIdentity(),
      segments: [Segment],
      options: GenerationOptions = GenerationOptions(),
      responseFormat: ResponseFormat? = nil
    ) {
      self.init(
        id: id,
        metadata: [:],
        segments: segments,
        options: options,
        responseFormat: responseFormat
      )
    }

    /// Makes an entry.
    public init(
      id: String = newIdentity(),
      metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment],
      options: GenerationOptions = GenerationOptions(),
      responseFormat: ResponseFormat? = nil,
      contextOptions: ContextOptions = ContextOptions()
    ) {
      self.id = id
      self.metadata = metadata.mapValues(\.generatedContent)
      self.segments = segments
      self.options = options
      self.responseFormat = responseFormat
      self.contextOptions = contextOptions
    }
  }

  /// The form that an answer must have.
  public struct ResponseFormat: Sendable, Equatable {
    /// The kinds of forms.
    public enum Kind: Sendable, Equatable {
      /// A value that follows a schema.
      case schema(GenerationSchema)
    }

    /// Which form it is.
    public let kind: Kind

    /// Takes the form of a type.
    public init<Content: Generable>(type: Content.Type) {
      self.init(schema: Content.generationSchema)
    }

    /// Takes the form that a schema describes.
    public init(schema: GenerationSchema) {
      kind = .schema(schema)
    }

    /// The name of the schema.
    public var name: String {
      switch kind {
      case .schema(let schema): schema.name
      }
    }
  }
}
