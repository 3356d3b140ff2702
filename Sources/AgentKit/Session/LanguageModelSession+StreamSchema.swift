extension LanguageModelSession {
  /// Answers a prompt with content that follows a schema, as a stream of snapshots.
  ///
  /// Generation starts immediately. The profile's bodies and hooks run on the actor on which the
  /// session was created with the profile; tools run outside of any actor. An error that ends the
  /// turn is thrown to the reader of the stream.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - schema: The schema of the answer, which the model cannot deviate from.
  ///   - includeSchemaInPrompt: Whether the model also reads the schema.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  public func streamResponse(
    to prompt: Prompt,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(.init(prompt, schema, options, includeSchemaInPrompt))
  }

  /// Streams the answer, content that follows a schema, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(.init(prompt, schema, options, includeSchemaInPrompt))
  }

  /// Streams the answer, content that follows a schema, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``.
  public func streamResponse(
    schema: GenerationSchema,
    includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    try stream(.init(prompt(), schema, options, includeSchemaInPrompt))
  }

  /// Answers a prompt with content that follows a schema, as a stream of snapshots.
  ///
  /// See ``streamResponse(to:schema:includeSchemaInPrompt:options:)-(Prompt,_,_,_)``
  /// and, for the rest, ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: Prompt,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(.init(prompt, schema, options, contextOptions, metadata))
  }

  /// Streams the answer, content that follows a schema, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:schema:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(.init(prompt, schema, options, contextOptions, metadata))
  }

  /// Streams the answer, content that follows a schema, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:schema:options:contextOptions:metadata:)-(Prompt,_,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    try stream(.init(prompt(), schema, options, contextOptions, metadata))
  }
}
