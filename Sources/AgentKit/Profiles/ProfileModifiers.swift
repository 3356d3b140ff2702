/// A profile with one thing set, unless what it wraps has set that already.
struct ProfileWith<Content: LanguageModelSession.DynamicProfile>: ProfileLeaf {
  let content: Content
  /// Sets it, given the path to this modifier.
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

  // The innermost modifier wins, field by field: what is already set stays. A `nil` sets nothing.

  /// The model that answers; the configured local model when none is set.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    with { $0.model = $0.model ?? model }
  }

  /// The model that answers; the configured local model when none is set.
  public func model(_ model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    with { $0.model = $0.model ?? model }
  }

  /// How freely tokens are chosen.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.temperature = $0.options.temperature ?? temperature }
  }

  /// How tokens are chosen.
  public func samplingMode(
    _ samplingMode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.samplingMode = $0.options.samplingMode ?? samplingMode }
  }

  /// The most tokens that one answer may have.
  public func maximumResponseTokens(
    _ maximumResponseTokens: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    with {
      $0.options.maximumResponseTokens =
        $0.options.maximumResponseTokens ?? maximumResponseTokens
    }
  }

  /// How long the model thinks before it answers.
  public func reasoningLevel(
    _ reasoningLevel: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.reasoningLevel = $0.reasoningLevel ?? reasoningLevel }
  }

  /// Whether the model may, must or must not call tools.
  public func toolCallingMode(
    _ toolCallingMode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.options.toolCallingMode = $0.options.toolCallingMode ?? toolCallingMode }
  }

  /// What the model sees of the history, for this profile only: nothing is stored.
  ///
  /// It runs before every request to the model, also after a round of calls. The entries begin with
  /// the instructions, as in FoundationModels; a transform that leaves them out hides them from this
  /// request, and they can be kept with `entries.first`. The tools stay as the profile has them. The
  /// last entry is what the model is to answer. FoundationModels leaves open what becomes of several
  /// transforms: here they are composed, and the one that was written last runs first.
  public func historyTransform(
    _ transform: @escaping ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.transforms.insert({ entries, _ in transform(entries) }, at: 0) }
  }

  /// What becomes of the transcript when a turn fails.
  ///
  /// It wins over the session's own policy. A coordinator goes by it where a turn failed or the model
  /// refused; one that was cancelled or met a cap it takes back in any case.
  public func transcriptErrorHandlingPolicy(
    _ policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.errorPolicy = $0.errorPolicy ?? policy }
  }
}
