// Hooks accumulate: every profile's and every modifier's are called, the outermost first. Their
// closures are not `sending` as in FoundationModels, because that refuses closures that capture a
// profile which holds an object; leaving it out accepts strictly more programs.

extension LanguageModelSession.DynamicProfile {
  /// Called when the profile becomes part of the resolved configuration.
  public func onActivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onActivate.insert(action, at: 0) }
  }

  /// Called when the profile is no longer part of the resolved configuration.
  public func onDeactivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onDeactivate.insert(action, at: 0) }
  }

  /// Called once a prompt, before the first request to the model.
  ///
  /// Throwing ends the turn.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onPrompt { _ in try await action() }
  }

  /// Called once a prompt, before the first request to the model.
  ///
  /// Throwing ends the turn.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onPrompt.insert(action, at: 0) }
  }

  /// Called when the model has answered.
  ///
  /// Throwing ends the turn.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onResponse { _ in try await action() }
  }

  /// Called when the model has answered.
  ///
  /// Throwing ends the turn.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onResponse.insert(action, at: 0) }
  }

  /// Called when the model has thought.
  ///
  /// Throwing ends the turn.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onReasoning { _ in try await action() }
  }

  /// Called when the model has thought.
  ///
  /// Throwing ends the turn.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onReasoning.insert(action, at: 0) }
  }

  /// Called once a call, before the tool runs.
  ///
  /// Throwing ends the turn, and the tool does not run. A `ToolCallRejection` refuses this call
  /// only, and the turn goes on.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolCall { _ in try await action() }
  }

  /// Called once a call, before the tool runs.
  ///
  /// Throwing ends the turn, and the tool does not run. A `ToolCallRejection` refuses this call
  /// only, and the turn goes on.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolCall.insert(action, at: 0) }
  }

  /// Called when a tool has returned.
  ///
  /// Throwing ends the turn.
  public func onToolOutput(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolOutput { _, _ in try await action() }
  }

  /// Called when a tool has returned.
  ///
  /// Throwing ends the turn.
  public func onToolOutput(
    perform action:
      nonisolated(nonsending) @escaping (
        Transcript.ToolCall, Transcript.ToolOutput
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolOutput.insert({ try await action($0.0, $0.1) }, at: 0) }
  }
}
