extension LanguageModelSession {
  /// Answers a prompt with text.
  ///
  /// The profile's bodies and hooks run where the caller runs; tools run outside of any actor.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  /// - Throws: ``LanguageModelSession/Error/concurrentRequests`` while another prompt is being
  ///   answered; ``LanguageModelError`` if the model cannot serve the request;
  ///   ``LanguageModelSession/ToolCallError`` if a tool throws; the error of a hook that throws;
  ///   `CancellationError` if the task is cancelled.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }

  /// Answers a prompt that is a string with text.
  ///
  /// See ``respond(to:options:)-(Prompt,_)``.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: String,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }

  /// Answers a prompt that is built from statements with text.
  ///
  /// See ``respond(to:options:)-(Prompt,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond(
    options: GenerationOptions = GenerationOptions(),
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(.init(prompt(), nil, options))
  }

  /// Answers a prompt with text.
  ///
  /// See ``respond(to:options:)-(Prompt,_)``
  /// for what happens and what is thrown.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - options: The options for this answer; those that are not set are left to the profile.
  ///   - contextOptions: How to prepare the context; options that are not set are left to the
  ///     profile.
  ///   - metadata: The metadata to store with the prompt and pass to the model.
  @discardableResult
  nonisolated(nonsending) public func respond(
    to prompt: Prompt,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options, contextOptions, metadata))
  }

  /// Answers a prompt that is a string with text.
  ///
  /// See ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
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

  /// Answers a prompt that is built from statements with text.
  ///
  /// See ``respond(to:options:contextOptions:metadata:)-(Prompt,_,_,_)``.
  @discardableResult
  nonisolated(nonsending) public func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await answer(.init(prompt(), nil, options, contextOptions, metadata))
  }

  /// Answers any value that can be a prompt with text, such as the arguments of a tool.
  ///
  /// WWDC26 uses this form when a tool phones a friend. FoundationModels itself accepts only a
  /// prompt, a string or a builder, so an agent for both writes `respond { arguments }`.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func respond(
    to prompt: some PromptRepresentable,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await answer(.init(prompt, nil, options))
  }
}
