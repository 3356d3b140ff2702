extension LanguageModelSession {
  /// Answers a prompt with content that follows a schema.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - schema: The schema of the answer, which the model cannot deviate from.
  ///   - includeSchemaInPrompt: Whether the model also reads the schema.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  /// - Throws: The errors of the text forms; ``LanguageModelError/unsupportedGenerationGuide(_:)``
  ///   if no model can be held to the schema; ``GeneratedContent/ParsingError`` if the answer
  ///   breaks off, as it does at `maximumResponseTokens`.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt, schema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt that is a string with content that follows a schema.
  ///
  /// See ``respond(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt, schema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt that is built from statements with content that follows a schema.
  ///
  /// See ``respond(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond(
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt(), schema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with content that follows a schema.
  ///
  /// See ``respond(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
  /// and, for the rest, ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt, schema, options, contextOptions, metadata))
  }

  /// Answers a prompt that is a string with content that follows a schema.
  ///
  /// See ``respond(to:schema:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt, schema, options, contextOptions, metadata))
  }

  /// Answers a prompt that is built from statements with content that follows a schema.
  ///
  /// See ``respond(to:schema:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt(), schema, options, contextOptions, metadata))
  }
}
