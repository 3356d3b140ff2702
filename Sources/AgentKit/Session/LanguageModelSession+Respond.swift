extension LanguageModelSession {
  /// Answers a prompt with text.
  /// - Throws: `Error.concurrentRequests` while another prompt is being answered;
  ///   `LanguageModelError` when the model cannot serve the request; `ToolCallError` when a tool
  ///   throws; what a hook throws; `CancellationError` when the task is cancelled.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions()
  ) async throws -> Response<String> {
    try Response(
      await run(
        .prompt(entry(prompt, options, contextOptions)),
        schema: nil,
        host: OpenHost()
      )
    )
  }

  /// Answers a prompt with text.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions()
  ) async throws -> Response<String> {
    try await respond(to: Prompt(prompt), options: options, contextOptions: contextOptions)
  }

  /// Answers a prompt with text.
  @discardableResult
  nonisolated(nonsending) public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await respond(to: prompt(), options: options, contextOptions: contextOptions)
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions()
  ) -> sending ResponseStream<String> {
    stream(entry(prompt, options, contextOptions), schema: nil) {
      GeneratedContent($0)
    }
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Work begins at once.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions()
  ) -> sending ResponseStream<String> {
    streamResponse(to: Prompt(prompt), options: options, contextOptions: contextOptions)
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    streamResponse(to: try prompt(), options: options, contextOptions: contextOptions)
  }

  func entry(
    _ prompt: Prompt,
    _ options: GenerationOptions,
    _ contextOptions: ContextOptions
  ) -> Transcript.Prompt {
    .init(segments: prompt.segments, options: options, contextOptions: contextOptions)
  }
}
