extension LanguageModelSession {
  /// Answers a prompt with content that follows a schema.
  ///
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
  /// - Throws: The errors of the text forms; `LanguageModelError.unsupportedGenerationGuide` if no
  ///   model can be held to the schema; `GeneratedContent.ParsingError` if the answer breaks off,
  ///   as it does at `maximumResponseTokens`.
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
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
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
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
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
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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
  /// The model cannot generate anything that does not follow it.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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
