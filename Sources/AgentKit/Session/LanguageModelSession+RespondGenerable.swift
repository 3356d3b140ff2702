extension LanguageModelSession {
  /// Answers a prompt with a value of a type.
  ///
  /// The model can generate nothing that does not fit.
  /// - Throws: What the text forms throw; `LanguageModelError.unsupportedGenerationGuide` when no model
  ///   can be held to the schema; `GeneratedContent.ParsingError` when the answer breaks off, as it
  ///   does at `maximumResponseTokens`.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
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
  /// The model can generate nothing that does not fit.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
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
  /// The model can generate nothing that does not fit.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
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
  /// The model can generate nothing that does not fit.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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
  /// The model can generate nothing that does not fit.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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
  /// The model can generate nothing that does not fit.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
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
