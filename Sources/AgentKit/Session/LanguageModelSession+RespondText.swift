extension LanguageModelSession {
  /// Answers a prompt with text.
  ///
  /// The profile's bodies and hooks run where the caller runs, tools outside of any actor.
  /// - Throws: `Error.concurrentRequests` while another prompt is being answered;
  ///   `LanguageModelError` when the model cannot serve the request; `ToolCallError` when a tool
  ///   throws; what a hook throws; `CancellationError` when the task is cancelled.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }

  /// Answers a prompt with text.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }

  /// Answers a prompt with text.
  @discardableResult
  nonisolated(nonsending) public func respond(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(.init(prompt(), nil, options))
  }

  /// Answers a prompt with text.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers a prompt with text.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers a prompt with text.
  /// - Parameters:
  ///   - contextOptions: How to prepare the context; what is not set is left to the profile.
  ///   - metadata: What is kept with the prompt and given to the model beside it.
  @discardableResult
  nonisolated(nonsending) public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(.init(prompt(), nil, options, contextOptions, metadata))
  }

  /// Answers what can be a prompt with text, such as the arguments of a tool.
  ///
  /// WWDC26 writes this where a tool phones a friend. FoundationModels itself takes a prompt, a text or
  /// a builder only, so an agent for both writes `respond { arguments }`.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: some PromptRepresentable,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }
}
