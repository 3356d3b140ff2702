extension LanguageModelSession {
  /// Answers a prompt with a value of a type.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - type: The type of the answer, whose schema the model cannot deviate from.
  ///   - includeSchemaInPrompt: Whether the model also reads the schema.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  /// - Throws: The errors of the text forms; ``LanguageModelError/unsupportedGenerationGuide(_:)``
  ///   if no model can be held to the schema; ``GeneratedContent/ParsingError`` if the answer
  ///   breaks off, as it does at `maximumResponseTokens`.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt that is a string with a value of a type.
  ///
  /// See ``respond(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt that is built from statements with a value of a type.
  ///
  /// See ``respond(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await answer(.init(prompt(), type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type.
  ///
  /// See ``respond(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
  /// and, for the rest, ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<Content> {
    try await answer(.init(prompt, type.generationSchema, options, contextOptions, metadata))
  }

  /// Answers a prompt that is a string with a value of a type.
  ///
  /// See ``respond(to:generating:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<Content> {
    try await answer(.init(prompt, type.generationSchema, options, contextOptions, metadata))
  }

  /// Answers a prompt that is built from statements with a value of a type.
  ///
  /// See ``respond(to:generating:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await answer(.init(prompt(), type.generationSchema, options, contextOptions, metadata))
  }
}
