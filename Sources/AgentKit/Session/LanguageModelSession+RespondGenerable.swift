extension LanguageModelSession {
  /// Answers a prompt with a value of a type.
  ///
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
  /// - Throws: The errors of the text forms; `LanguageModelError.unsupportedGenerationGuide` if no
  ///   model can be held to the schema; `GeneratedContent.ParsingError` if the answer breaks off,
  ///   as it does at `maximumResponseTokens`.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await answer(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type.
  ///
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
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

  /// Answers a prompt with a value of a type.
  ///
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that its answer
  ///   must follow.
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
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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

  /// Answers a prompt with a value of a type.
  ///
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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

  /// Answers a prompt with a value of a type.
  ///
  /// The model cannot generate anything that does not fit.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
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
