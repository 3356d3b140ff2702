extension LanguageModelSession {
  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Generation starts immediately. The profile's bodies and hooks run on the actor on which the
  /// session was created with the profile; tools run outside of any actor. An error that ends the
  /// turn is thrown to the reader of the stream.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options))
  }

  /// Streams the answer, text, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:options:)-(Prompt,_)``.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options))
  }

  /// Streams the answer, text, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:options:)-(Prompt,_)``.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    try stream(.init(prompt(), nil, options))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// See ``streamResponse(to:options:)-(Prompt,_)``
  /// and, for the rest, ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Streams the answer, text, to a prompt that is a string.
  ///
  /// See ``streamResponse(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Streams the answer, text, to a prompt that is built from statements.
  ///
  /// See ``streamResponse(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    try stream(.init(prompt(), nil, options, contextOptions, metadata))
  }
}
