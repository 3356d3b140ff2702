/// A profile with one setting applied, unless the profile that it wraps already has that setting.
struct ProfileWith<Content: LanguageModelSession.DynamicProfile>: ProfileLeaf {
  let content: Content
  /// Applies the setting, given the path to this modifier.
  let modify: (inout ResolvedProfile, [ResolvedProfile.Step]) -> Void

  func resolve(into resolved: inout ResolvedProfile) {
    resolved.identity.append(.modifier)
    let path = resolved.identity
    resolved.append(content)
    modify(&resolved, path)
  }
}

extension LanguageModelSession.DynamicProfile {
  func with(
    _ modify: @escaping (inout ResolvedProfile) -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    ProfileWith(content: self) { resolved, _ in modify(&resolved) }
  }

  // The innermost modifier wins, field by field: existing values are kept, and `nil` sets nothing.

  /// Sets the model that answers; without one, the configured local model does.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    with { $0.model = $0.model ?? model }
  }

  /// Sets the model that answers; without one, the configured local model does.
  public func model(_ model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    with { $0.model = $0.model ?? model }
  }

  /// Sets the randomness with which tokens are chosen.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.temperature = $0.options.temperature ?? temperature }
  }

  /// Sets the way in which tokens are chosen.
  public func samplingMode(
    _ samplingMode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.samplingMode = $0.options.samplingMode ?? samplingMode }
  }

  /// Sets the maximum number of tokens in an answer.
  public func maximumResponseTokens(
    _ maximumResponseTokens: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    with {
      $0.options.maximumResponseTokens =
        $0.options.maximumResponseTokens ?? maximumResponseTokens
    }
  }

  /// Sets how long the model reasons before it answers.
  public func reasoningLevel(
    _ reasoningLevel: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.reasoningLevel = $0.reasoningLevel ?? reasoningLevel }
  }

  /// Sets whether the model may, must or must not call tools.
  public func toolCallingMode(
    _ toolCallingMode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.toolCallingMode = $0.options.toolCallingMode ?? toolCallingMode }
  }

  /// Sets the machine on which the agent's process runs.
  ///
  /// A process stays where it was started, so the profile with which the agent begins decides.
  /// Files that the agent's `permissions` name are those of that machine.
  public func host(_ host: HostRequirement?) -> some LanguageModelSession.DynamicProfile {
    with { $0.host = $0.host ?? host }
  }

  /// Transforms what the model sees of the history, for this profile only; nothing is stored.
  ///
  /// The transform runs before every request to the model, including after a round of calls. As in
  /// FoundationModels, the entries begin with the instructions, if there are instructions or tools;
  /// otherwise the first entry is one of the history. A transform that omits the instructions hides
  /// them from this request; use `entries.first` to keep them. The tools remain those of the
  /// profile. The last entry is what the model must answer. FoundationModels does not specify the
  /// effect of several transforms: here they are composed, and the one written last runs first.
  public func historyTransform(
    _ transform: @escaping ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.transforms.insert({ entries, _ in transform(entries) }, at: 0) }
  }

  /// Sets what happens to the transcript when a turn fails.
  ///
  /// The policy overrides the session's own. A coordinator follows it if a turn fails or the model
  /// refuses to answer; a turn that was cancelled or reached a cap is always reverted.
  public func transcriptErrorHandlingPolicy(
    _ policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.errorPolicy = $0.errorPolicy ?? policy }
  }
}
