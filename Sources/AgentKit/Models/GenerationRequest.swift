public import PlatformLibraries

/// A request to a model: everything it may know, and what it must generate.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// The identity of the request.
  public var id: UUID
  /// The entire context.
  ///
  /// Its first entry is the instructions, if there are instructions or tools; its last entry is
  /// what the model must answer.
  public var transcript: Transcript
  /// The tools that the model may call in this request.
  public var enabledToolDefinitions: [Transcript.ToolDefinition]
  /// The tools that could be called until a cap was reached.
  ///
  /// A model may still be shown them, so that what was computed with them stays useful.
  package var withheldToolDefinitions: [Transcript.ToolDefinition] = []
  /// Whether the model is to answer without reasoning, whatever the level.
  ///
  /// What it reads is the same as at that level, so that what was computed of it stays useful.
  package var skipsReasoning = false
  /// Texts before which an answer in text ends; neither they nor their beginnings are shown.
  package var stop: [String] = []
  /// The seed of random sampling; `nil` leaves it to the generation options.
  package var seed: UInt64?
  /// The schema that a structured answer must follow.
  public var schema: GenerationSchema?
  /// The generation options, already merged from the call site, the profile and the defaults.
  public var generationOptions: GenerationOptions
  /// The options for preparing the context.
  public var contextOptions: ContextOptions
  /// The metadata that accompanies the prompt.
  public var metadata: [String: GeneratedContent]

  /// Creates a request.
  public init(
    id: UUID = UUID(),
    transcript: Transcript,
    enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil,
    generationOptions: GenerationOptions,
    contextOptions: ContextOptions,
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) {
    self.id = id
    self.transcript = transcript
    self.enabledToolDefinitions = enabledTools
    self.schema = schema
    self.generationOptions = generationOptions
    self.contextOptions = contextOptions
    self.metadata = metadata.mapValues(\.generatedContent)
  }
}
