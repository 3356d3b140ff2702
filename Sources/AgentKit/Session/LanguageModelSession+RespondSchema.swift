extension LanguageModelSession {
  /// Answers a prompt with content that follows a schema.
  ///
  /// The model can generate nothing that does not follow it.
  /// - Throws: What the text forms throw; `LanguageModelError.unsupportedGenerationGuide` when no model
  ///   can be held to the schema; `GeneratedContent.ParsingError` when the answer breaks off, as it
  ///   does at `maximumResponseTokens`.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await answer(.init(prompt, schema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with content that follows a schema.
  ///
  /// The model can generate nothing that does not follow it.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
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

  /// Answers a prompt with content that follows a schema.
  ///
  /// The model can generate nothing that does not follow it.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
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
  /// The model can generate nothing that does not follow it.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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

  /// Answers a prompt with content that follows a schema.
  ///
  /// The model can generate nothing that does not follow it.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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

  /// Answers a prompt with content that follows a schema.
  ///
  /// The model can generate nothing that does not follow it.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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
