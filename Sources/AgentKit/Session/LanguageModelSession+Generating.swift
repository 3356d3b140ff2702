extension LanguageModelSession {
  /// Answers a prompt with a value of a type.
  ///
  /// The model can generate nothing that does not fit.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true)
  ) async throws -> Response<Content> {
    try Response(
      await run(
        .prompt(entry(prompt, options, contextOptions)),
        schema: Content.generationSchema,
        host: OpenHost()
      )
    )
  }

  /// Answers a prompt with a value of a type.
  ///
  /// The model can generate nothing that does not fit.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true)
  ) async throws -> Response<Content> {
    try await respond(
      to: Prompt(prompt),
      generating: type,
      options: options,
      contextOptions: contextOptions
    )
  }

  /// Answers a prompt with a value of a type.
  ///
  /// The model can generate nothing that does not fit.
  @discardableResult
  nonisolated(nonsending) public func respond<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await respond(
      to: prompt(),
      generating: type,
      options: options,
      contextOptions: contextOptions
    )
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true)
  ) -> sending ResponseStream<Content> {
    stream(entry(prompt, options, contextOptions), schema: Content.generationSchema) {
      try? GeneratedContent(json: $0)
    }
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Work begins at once.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true)
  ) -> sending ResponseStream<Content> {
    streamResponse(
      to: Prompt(prompt),
      generating: type,
      options: options,
      contextOptions: contextOptions
    )
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    streamResponse(
      to: try prompt(),
      generating: type,
      options: options,
      contextOptions: contextOptions
    )
  }
}
