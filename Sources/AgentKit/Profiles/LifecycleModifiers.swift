// Hooks accumulate: every profile's and every modifier's are called, the outermost first. Their
// closures are not `sending` as in FoundationModels, because that refuses closures that capture a
// profile which holds an object. Nothing is lost by it: hooks belong to their profile, and a session
// takes that as `sending`.

extension LanguageModelSession.DynamicProfile {
  /// Called when the profile becomes part of the resolved configuration, and again when it comes back
  /// after it was gone.
  ///
  /// The new profile is told after the old one has been, and before `onPrompt`. An outer profile stays
  /// part of the configuration while an inner one gives way to another, and is told nothing then.
  /// Which profile is which is decided by its place among the branches of the bodies.
  public func onActivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileWith(content: self) { resolved, path in
      resolved.activations.insert(.init(path: path, onActivate: action), at: 0)
    }
  }

  /// Called when the profile is no longer part of the resolved configuration.
  ///
  /// It is told at the next request to a model, which another profile makes; nothing is told when the
  /// session itself ends.
  public func onDeactivate(
    perform action: @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileWith(content: self) { resolved, path in
      resolved.activations.insert(.init(path: path, onDeactivate: action), at: 0)
    }
  }

  /// Called once a prompt, when it is in the transcript and before the first request to the model.
  ///
  /// It is not called again after a round of calls. Under orchestrator that is once in a process that
  /// answers the prompt: a worker that takes a dead one's place before anything came of the prompt calls
  /// it again. Throwing ends the turn.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onPrompt { _ in try await action() }
  }

  /// Called once a prompt, when it is in the transcript and before the first request to the model.
  ///
  /// It is not called again after a round of calls. Under orchestrator that is once in a process that
  /// answers the prompt: a worker that takes a dead one's place before anything came of the prompt calls
  /// it again. Throwing ends the turn.
  public func onPrompt(
    perform action: nonisolated(nonsending) @escaping (Transcript.Prompt) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onPrompt.insert(action, at: 0) }
  }

  /// Called once a turn, when the model's answer is in the transcript.
  ///
  /// A turn that ends otherwise has no answer, and text beside calls is none. In a stream it is called
  /// after the last snapshot, and before the stream ends. Throwing ends the turn.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onResponse { _ in try await action() }
  }

  /// Called once a turn, when the model's answer is in the transcript.
  ///
  /// A turn that ends otherwise has no answer, and text beside calls is none. In a stream it is called
  /// after the last snapshot, and before the stream ends. Throwing ends the turn.
  public func onResponse(
    perform action: nonisolated(nonsending) @escaping (Transcript.Response) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onResponse.insert(action, at: 0) }
  }

  /// Called when a thought of the model is in the transcript, before its answer or its calls are.
  ///
  /// Throwing ends the turn.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onReasoning { _ in try await action() }
  }

  /// Called when a thought of the model is in the transcript, before its answer or its calls are.
  ///
  /// Throwing ends the turn.
  public func onReasoning(
    perform action: nonisolated(nonsending) @escaping (Transcript.Reasoning) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onReasoning.insert(action, at: 0) }
  }

  /// Called once a call, before the tool runs.
  ///
  /// The calls of one round are told one after the other, all of them before any tool runs. Under
  /// orchestrator that is once in a process that runs the tool: a worker that takes a dead one's place
  /// calls it again for a call that it makes. Throwing ends the turn, and none of these tools runs; the
  /// session's caller sees the error inside a `LanguageModelSession.ToolCallError`, or as it is where
  /// no tool has the name that was called. A `ToolCallRejection` refuses this call only, and the turn
  /// goes on.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolCall { _ in try await action() }
  }

  /// Called once a call, before the tool runs.
  ///
  /// The calls of one round are told one after the other, all of them before any tool runs. Under
  /// orchestrator that is once in a process that runs the tool: a worker that takes a dead one's place
  /// calls it again for a call that it makes. Throwing ends the turn, and none of these tools runs; the
  /// session's caller sees the error inside a `LanguageModelSession.ToolCallError`, or as it is where
  /// no tool has the name that was called. A `ToolCallRejection` refuses this call only, and the turn
  /// goes on.
  public func onToolCall(
    perform action: nonisolated(nonsending) @escaping (Transcript.ToolCall) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolCall.insert(action, at: 0) }
  }

  /// Called when a tool has returned, once its output is in the transcript.
  ///
  /// Outputs are told one after the other, in the order of the calls: each when the calls before it have
  /// ended, while later ones perhaps still run. A tool that throws has no output. What the model is told
  /// of a call that no tool has answered, because it was refused or there is no such tool, is none
  /// either. Throwing ends the turn, once all tools of the round have ended.
  public func onToolOutput(
    perform action: nonisolated(nonsending) @escaping () async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    onToolOutput { _, _ in try await action() }
  }

  /// Called when a tool has returned, once its output is in the transcript.
  ///
  /// Outputs are told one after the other, in the order of the calls: each when the calls before it have
  /// ended, while later ones perhaps still run. A tool that throws has no output. What the model is told
  /// of a call that no tool has answered, because it was refused or there is no such tool, is none
  /// either. Throwing ends the turn, once all tools of the round have ended.
  public func onToolOutput(
    perform action:
      nonisolated(nonsending) @escaping (
        Transcript.ToolCall, Transcript.ToolOutput
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onToolOutput.insert({ try await action($0.0, $0.1) }, at: 0) }
  }

  /// Called once a turn, when it is over, with the reason; also when it failed.
  ///
  /// The transcript is what the turn leaves of it, and the session still responds. Nothing can be
  /// thrown: the turn has ended. An agent that has passed the baton is told nothing, because the turn
  /// goes on with another; whoever ends it is told. FoundationModels has no such hook.
  public func onExit(
    perform action: nonisolated(nonsending) @escaping (TurnExit) async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.hooks.onExit.insert(action, at: 0) }
  }
}
