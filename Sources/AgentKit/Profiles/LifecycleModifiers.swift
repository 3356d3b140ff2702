// Hooks accumulate: those of every profile and every modifier are called, outermost first. Unlike
// in FoundationModels, their closures are not `sending`, because that rejects closures that capture
// a profile which holds an object. Nothing is lost: hooks belong to their profile, which a session
// takes as `sending`.

extension LanguageModelSession.DynamicProfile {
  /// Adds an action to perform when the profile becomes part of the resolved configuration.
  ///
  /// The action runs again whenever the profile returns after an absence. It runs after the
  /// previous profile's `onDeactivate` and before `onPrompt`. An outer profile stays part of the
  /// configuration while one inner profile replaces another, and its action does not run then. A
  /// profile is identified by its position among the branches of the bodies.
  public func onActivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileWith(content: self) { resolved, path in
      resolved.activations.insert(.init(path: path, onActivate: action), at: 0)
    }
  }

  /// Adds an action to perform when the profile is no longer part of the resolved configuration.
  ///
  /// The action runs at the next request to a model, which another profile makes. It does not run
  /// when the session itself ends.
  public func onDeactivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileWith(content: self) { resolved, path in
      resolved.activations.insert(.init(path: path, onDeactivate: action), at: 0)
    }
  }

  /// Adds an action to perform once per prompt; see the form that takes the prompt.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onPrompt { _ in try await action() }
  }

  /// Adds an action to perform once per prompt, before the first request to the model.
  ///
  /// The prompt is already in the transcript. The action does not run again after a round of calls.
  /// Under orchestrator, it runs once in each process that answers the prompt: a worker that
  /// replaces a dead one before the prompt has had any effect runs it again. Throwing an error ends
  /// the turn.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onPrompt.insert(action, at: 0) }
  }

  /// Adds an action to perform once per turn; see the form that takes the answer.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onResponse { _ in try await action() }
  }

  /// Adds an action to perform once per turn, when the model's answer is in the transcript.
  ///
  /// A turn that ends in another way has no answer, and text alongside calls is not an answer. In a
  /// stream, the action runs after the last snapshot and before the stream ends. Throwing an error
  /// ends the turn.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onResponse.insert(action, at: 0) }
  }

  /// Adds an action to perform after reasoning; see the form that takes the reasoning.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onReasoning { _ in try await action() }
  }

  /// Adds an action to perform when the model's reasoning is in the transcript.
  ///
  /// It runs before the answer or the calls are recorded. Throwing an error ends the turn.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onReasoning.insert(action, at: 0) }
  }

  /// Adds an action to perform once per call; see the form that takes the call.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolCall { _ in try await action() }
  }

  /// Adds an action to perform once per call, before the tool runs.
  ///
  /// The actions for the calls of one round run in sequence, all of them before any tool runs.
  /// Under orchestrator, an action runs once in each process that runs the tool: a worker that
  /// replaces a dead one runs it again for a call that it makes. Throwing an error ends the turn,
  /// and none of these tools runs; the session's caller sees the error inside a
  /// ``LanguageModelSession/ToolCallError``, or unwrapped if no tool has the name that was called.
  /// A ``ToolCallRejection`` refuses only this call, and the turn continues.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolCall.insert(action, at: 0) }
  }

  /// Adds an action to perform when a tool has returned; see the form that takes the output.
  public func onToolOutput(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolOutput { _, _ in try await action() }
  }

  /// Adds an action to perform when a tool has returned and its output is in the transcript.
  ///
  /// The actions run in sequence, in the order of the calls: each one when all earlier calls have
  /// ended, while later ones may still be running. A tool that throws has no output. What the model
  /// is told of a call that no tool has answered, because it was refused or there is no such tool,
  /// is not an output either. Throwing an error ends the turn once all tools of the round have
  /// ended.
  public func onToolOutput(
    perform action:
      nonisolated(nonsending) @escaping (
        Transcript.ToolCall, Transcript.ToolOutput
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolOutput.insert({ try await action($0.0, $0.1) }, at: 0) }
  }

  /// Adds an action to perform once per turn, when it ends for any reason, including failure.
  ///
  /// The action receives the reason. The transcript is in its final state for the turn, and the
  /// session is still responding. The action cannot throw, because the turn has ended. It does not
  /// run for an agent that has passed the baton, because the turn continues with another agent; it
  /// runs for the one that ends the turn. Under orchestrator, what it writes to the history is kept
  /// if what the turn said is. FoundationModels has no such hook.
  public func onExit(
    perform action: nonisolated(nonsending) @escaping (TurnExit) async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onExit.insert(action, at: 0) }
  }
}
