extension LanguageModelSession {
  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Generation starts immediately. The profile's bodies and hooks run on the actor on which the
  /// session was created with the profile; tools run outside of any actor. An error that ends the
  /// turn is thrown to the reader of the stream.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - type: The type of the answer, whose schema the model cannot deviate from.
  ///   - includeSchemaInPrompt: Whether the model also reads the schema.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Streams the answer, a value of a type, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String,
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Streams the answer, a value of a type, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    try stream(.init(prompt(), type.generationSchema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// See ``streamResponse(to:generating:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
  /// and, for the rest, ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(.init(prompt, type.generationSchema, options, contextOptions, metadata))
  }

  /// Streams the answer, a value of a type, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:generating:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
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

  /// Streams the answer, a value of a type, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:generating:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
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
