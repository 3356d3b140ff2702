import Synchronization

extension LanguageModelSession {
  /// Limits what the model sees to what fits into its window.
  nonisolated(nonsending) func fit(
    _ resolved: inout ResolvedProfile,
    prompt: Transcript.Prompt?,
    host: some TurnHost
  ) async throws {
    let mode = prompt?.options.toolCallingMode ?? resolved.options.toolCallingMode
    let view = try await manageContext(
      resolved,
      mode: mode?.kind ?? .allowed,
      level: reasoningLevel(of: prompt, resolved, host: host),
      host: host
    )
    if let view { resolved.show(view) }
  }

  /// Makes the history fit into the window before a request, if the runner of the turn asks for it.
  ///
  /// The history itself is consolidated, for every agent that shares it, unless another agent has a
  /// wider window: then only this agent sees less of it.
  ///
  /// - Returns: What this agent sees of the history, or `nil` if it sees all of it.
  nonisolated(nonsending) private func manageContext(
    _ resolved: ResolvedProfile,
    mode: GenerationOptions.ToolCallingMode.Kind,
    level: ContextOptions.ReasoningLevel?,
    host: some TurnHost
  ) async throws -> ContextView? {
    guard let policy = host.contextPolicy,
      let (work, exchanges) = try await context(of: resolved, mode: mode, host.options)
    else { return nil }
    let known = state.withLock { $0.view }.flatMap { view in
      view.applied(to: exchanges.history).map { (view: view, entries: $0) }
    }
    var shown = work.leading + (known?.entries ?? Array(exchanges.history))
    for transform in resolved.transforms { shown = try await transform(shown, work.meter.model) }
    if work.meter.certainlyFits(shown, into: work.limits.high) { return known?.view }
    let before = try await work.meter.count(shown)
    if before <= work.limits.high { return known?.view }
    guard var result = try await work.view(of: exchanges, downTo: work.limits.low),
      result.view.isPartial
    else { return known?.view }
    let isShared = (policy.widestWindow ?? 0) <= work.limits.window
    var usage: Usage?
    var isSummarized = false
    if isShared, result.view.note != nil,
      let summary = try await summary(
        of: result.kept,
        in: exchanges,
        work,
        resolved,
        level: level,
        host: host
      )
    {
      usage = summary.usage
      add(summary.usage)
      isSummarized = try await take(summary.text, into: &result, exchanges, work)
    }
    let report = ContextReport(
      exchanges: result.kept,
      cutOutputs: result.view.cutOutputs.count,
      tokensBefore: before,
      tokensAfter: result.tokens,
      window: work.limits.window,
      isSummarized: isSummarized,
      isShared: isShared
    )
    if isShared, let entries = result.view.applied(to: exchanges.history) {
      rewriteHistory(Transcript.HistoryView(entries))
    }
    let view = isShared ? nil : result.view
    state.withLock { $0.view = view }
    try await host.record(report, usage: usage)
    return view
  }

  /// Returns whether the history fits into the window of the currently active profile.
  ///
  /// The profile's own transforms apply. If the history does not fit, the answer is for the least
  /// that orchestrator would leave of it. The session must be idle, and its history the one in
  /// question.
  ///
  /// - Parameter options: What the sender of the prompt asks of the turn.
  nonisolated(nonsending) package func contextFit(
    _ options: TurnOptions? = nil
  ) async throws -> ContextFit {
    let resolved = try resolve()
    // Transforms and tools may read session properties, as they may during a turn.
    return try await SessionScope.$current.bound(to: SessionScope(properties, .turn)) {
      try await contextFit(of: resolved, options)
    }
  }

  nonisolated(nonsending) private func contextFit(
    of resolved: ResolvedProfile,
    _ options: TurnOptions?
  ) async throws -> ContextFit {
    let mode = resolved.options.toolCallingMode?.kind ?? .allowed
    guard let model = try await (resolved.model ?? SystemLanguageModel.default).local(),
      model.contextSize > 0
    else { return ContextFit(tokens: 0, window: 0) }
    var current = transcript
    current.lead(with: instructionsEntry(resolved.instructions))
    let work = Consolidation(
      model,
      mode: mode,
      answer: resolved.options.maximumResponseTokens,
      leading: Array(current.leading) + [options?.instructionsEntry].compactMap(\.self)
    )
    let history = Array(current.history)
    var shown = work.leading + history
    for transform in resolved.transforms { shown = try await transform(shown, model) }
    let room = model.contextSize - ContextFit.leastAnswer
    if work.meter.certainlyFits(shown, into: room) {
      return ContextFit(tokens: 0, window: model.contextSize)
    }
    let tokens = try await work.meter.count(shown)
    guard tokens > room, !resolved.managesHistory else {
      return ContextFit(tokens: tokens, window: model.contextSize)
    }
    let least = try await work.view(of: Exchanges(history), downTo: 0)?.tokens
    return ContextFit(tokens: least ?? tokens, window: model.contextSize)
  }

  /// The history to consolidate, or `nil` if the agent manages it or its tokens cannot be counted.
  nonisolated(nonsending) private func context(
    of resolved: ResolvedProfile,
    mode: GenerationOptions.ToolCallingMode.Kind,
    _ options: TurnOptions?
  ) async throws -> (Consolidation, Exchanges)? {
    let chosen = resolved.model ?? SystemLanguageModel.default
    // Opened, a model knows what it can see.
    let local = try await chosen.local()
    state.withLock { $0.seesImages = chosen.capabilities.contains(.vision) }
    guard let model = local, model.contextSize > 0 else { return nil }
    state.withLock { $0.window = model.contextSize }
    guard !resolved.managesHistory else { return nil }
    let current = recordedTranscript
    let work = Consolidation(
      model,
      mode: mode,
      answer: resolved.options.maximumResponseTokens,
      leading: Array(current.leading) + [options?.instructionsEntry].compactMap(\.self)
    )
    return (work, Exchanges(Array(current.history)))
  }
}
