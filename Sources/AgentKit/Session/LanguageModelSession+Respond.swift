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

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions()
  ) -> ResponseStream<String> {
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
  ) -> ResponseStream<String> {
    streamResponse(to: Prompt(prompt), options: options, contextOptions: contextOptions)
  }

  /// Answers a prompt with text, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<String> {
    streamResponse(to: try prompt(), options: options, contextOptions: contextOptions)
  }

  /// Answers a prompt with a value of a type, as a stream of snapshots.
  ///
  /// Work begins at once.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt,
    generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true)
  ) -> ResponseStream<Content> {
    stream(entry(prompt, options, contextOptions), schema: Content.generationSchema) {
      try? GeneratedContent(json: $0)
    }
  }

  private func entry(
    _ prompt: Prompt,
    _ options: GenerationOptions,
    _ contextOptions: ContextOptions
  ) -> Transcript.Prompt {
    .init(segments: prompt.segments, options: options, contextOptions: contextOptions)
  }

  private func stream<Content: Generable>(
    _ prompt: Transcript.Prompt,
    schema: GenerationSchema?,
    reading read: @escaping @Sendable (String) -> GeneratedContent?
  ) -> ResponseStream<Content> {
    typealias Event = ResponseStream<Content>.Event
    let (events, continuation) = AsyncThrowingStream<Event, any Swift.Error>.makeStream()
    let host = OpenHost { snapshot in
      guard snapshot.kind == .response, let content = read(snapshot.text) else { return }
      continuation.yield(.partial(content))
    }
    // The stream outlives this call; it ends the task when nobody reads it any more.
    let task = Task {
      do {
        continuation.yield(.finished(try await run(.prompt(prompt), schema: schema, host: host)))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return ResponseStream(events: events)
  }
}
