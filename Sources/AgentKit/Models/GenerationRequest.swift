#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One request to a model: everything that it may know, and what it must generate.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// The identity of the request.
  public var id: UUID
  /// The whole context.
  ///
  /// Its first entry is the instructions; its last is what to answer.
  public var transcript: Transcript
  /// The tools that the model may call now.
  public var enabledToolDefinitions: [Transcript.ToolDefinition]
  /// The tools that could be called until a cap was met.
  ///
  /// A model may be shown them still, so that what was computed with them stays of use.
  package var withheldToolDefinitions: [Transcript.ToolDefinition] = []
  /// What a structured answer must follow.
  public var schema: GenerationSchema?
  /// How to generate.
  ///
  /// Call-site options, profile and defaults are already merged.
  public var generationOptions: GenerationOptions
  /// How to prepare the context.
  public var contextOptions: ContextOptions
  /// What was given with the prompt beside its text.
  public var metadata: [String: GeneratedContent]

  /// Makes a request.
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
