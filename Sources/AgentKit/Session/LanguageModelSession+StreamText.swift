extension LanguageModelSession {
  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Generation starts immediately, outside of any actor. The bodies of the profile and of its
  /// instructions are evaluated off the caller's actor, also where their types are isolated to it.
  /// An error that ends the turn is thrown to the reader of the stream.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    try stream(.init(prompt(), nil, options))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    try stream(.init(prompt(), nil, options, contextOptions, metadata))
  }
}
