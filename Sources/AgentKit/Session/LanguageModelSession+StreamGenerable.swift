extension LanguageModelSession {
  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Work begins at once, outside of any actor. What ends the turn is thrown to who reads the stream.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  /// - Parameter includeSchemaInPrompt: Whether the model also reads the schema that it is held to.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    try stream(.init(prompt(), type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, contextOptions, metadata))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, contextOptions, metadata))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    try stream(.init(prompt(), type.generationSchema, options, contextOptions, metadata))
  }
}
