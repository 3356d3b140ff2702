extension Transcript {
  /// What an agent was told before a conversation.
  public struct Instructions: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// The content of the instructions.
    public var segments: [Segment]
    /// The tools that the agent had.
    public var toolDefinitions: [ToolDefinition]

    /// Creates an entry.
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
    /// The name by which the model calls the tool.
    public var name: String
    /// What the tool does, in words for the model.
    public var description: String
    /// The schema of the tool's arguments.
    public var parameters: GenerationSchema

    /// Creates a definition.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }
  }

  /// A prompt from a person or a program.
  public struct Prompt: Sendable, Equatable, Identifiable {
    /// The identity of the entry.
    public var id: String
    /// The content of the prompt.
    public var segments: [Segment]
    /// The options that accompany the prompt.
    public var options: GenerationOptions
    /// The context options that accompany the prompt.
    public var contextOptions: ContextOptions
    /// Additional information for the model that answers and for readers of the transcript.
    public var metadata: [String: GeneratedContent]
    /// The required format of the answer, or `nil` if it is text.
    public var responseFormat: ResponseFormat?

    /// Creates an entry.
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

    /// Creates an entry.
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

  /// The required format of an answer.
  public struct ResponseFormat: Sendable, Equatable {
    /// The kinds of formats.
    public enum Kind: Sendable, Equatable {
      /// A value that follows a schema.
      case schema(GenerationSchema)
    }

    /// The kind of the format.
    public let kind: Kind

    /// Creates the format for a type.
    public init<Content: Generable>(type: Content.Type) {
      self.init(schema: Content.generationSchema)
    }

    /// Creates the format for a schema.
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

extension Transcript.Prompt {
  /// The schema that the answer must follow.
  package var schema: GenerationSchema? {
    switch responseFormat?.kind {
    case .schema(let schema): schema
    case nil: nil
    }
  }
}
