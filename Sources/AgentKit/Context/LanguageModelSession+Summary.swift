extension LanguageModelSession {
  /// A model's summary of exchanges that it will no longer see.
  struct Summary {
    let text: String
    let usage: Usage
  }

  /// Asks the model for a summary of the exchanges before the given one.
  ///
  /// The request extends what the model has already read: instructions, tools and exchanges stay
  /// the same, also where a template writes the level of reasoning before them, and only the
  /// question is new. The model does not reason about it: a summary has few tokens.
  ///
  /// - Returns: The summary, or `nil` if the model does not write one or may not be asked.
  nonisolated(nonsending) func summary(
    of kept: Int,
    in exchanges: Exchanges,
    _ work: Consolidation,
    _ resolved: ResolvedProfile,
    level: ContextOptions.ReasoningLevel?,
    host: some TurnHost
  ) async throws -> Summary? {
    let limits = work.limits
    let question = Transcript.Prompt(
      segments: [.text(.init(content: Self.question(words: limits.summary / 2)))]
    )
    let entries = work.leading + exchanges.entries(before: kept) + [.prompt(question)]
    let tokens = try await work.meter.count(entries)
    let room = min(limits.summary, limits.window - tokens)
    guard room >= ContextFit.leastAnswer, let granted = try await host.admitSummary() else {
      return nil
    }
    // Tools that were shown must stay visible, or the beginning of the context would change. Where
    // there are none, text that spells a call is text.
    let isDisallowed = work.hasTools && work.meter.tools.isEmpty
    let mode: GenerationOptions.ToolCallingMode.Kind = isDisallowed ? .disallowed : .allowed
    var options = resolved.options
    options.maximumResponseTokens = min(room, granted)
    options.toolCallingMode = .init(kind: mode)
    let plan = RequestPlan(
      model: resolved.model ?? SystemLanguageModel.default,
      admission: .go(maximumTokens: granted),
      mode: mode,
      tools: work.meter.tools,
      schema: nil,
      options: options,
      contextOptions: ContextOptions(reasoningLevel: level),
      skipsReasoning: true,
      metadata: [:],
      transcript: Transcript(entries: entries)
    )
    do {
      // The summary is not part of the conversation.
      defer { grow([]) }
      let turn = TurnProgress(watcher: nil)
      let generated = try await generate(plan, turn: turn, host: OpenHost())
      let text = generated.answerText ?? ""
      let isWritten = !generated.hasCalls && !text.allSatisfy(\.isWhitespace)
      return Summary(text: isWritten ? text : "", usage: generated.usage)
    } catch {
      // The turn continues without a summary, but not once it has been cancelled.
      try Task.checkCancellation()
      return nil
    }
  }

  /// Replaces the note about what is left out with a summary, and returns whether it fits.
  nonisolated(nonsending) func take(
    _ summary: String,
    into result: inout Consolidation.Result,
    _ exchanges: Exchanges,
    _ work: Consolidation
  ) async throws -> Bool {
    guard !summary.isEmpty else { return false }
    var view = result.view
    view.note = "[What was said before, in short: \(summary)]"
    let tokens = try await work.count(view, of: exchanges)
    guard tokens <= work.limits.high else { return false }
    result.view = view
    result.tokens = tokens
    return true
  }

  private static func question(words: Int) -> String {
    "Summarise the conversation so far for yourself, in at most \(max(words, 8)) words: what the"
      + " person wants, names and facts, what was decided, what tools have returned, and what is"
      + " open. Write nothing but the summary, and call no tool."
  }
}
