/// The consolidation of a history that has become too long for a model's window.
struct Consolidation {
  let meter: ContextMeter
  let limits: ContextLimits
  /// The instructions that precede the history.
  let leading: [Transcript.Entry]

  /// Creates a consolidation for a model.
  ///
  /// - Parameters:
  ///   - model: The model whose window must hold the context.
  ///   - mode: Whether the model may call tools.
  ///   - answer: The maximum number of tokens in the answer, if known.
  ///   - leading: The entries that precede the history.
  init(
    _ model: any LocalLanguageModel,
    mode: GenerationOptions.ToolCallingMode.Kind,
    answer: Int?,
    leading: some Collection<Transcript.Entry>
  ) {
    let tools = leading.leadingInstructions?.toolDefinitions ?? []
    meter = ContextMeter(model: model, tools: mode == .disallowed ? [] : tools)
    limits = ContextLimits(window: model.contextSize, answer: answer)
    self.leading = Array(leading)
  }

  /// Whether the agent has tools, also where the model may not call them.
  var hasTools: Bool { !(leading.leadingInstructions?.toolDefinitions ?? []).isEmpty }

  /// A view that fits, to the extent possible.
  struct Result {
    var view: ContextView
    /// The index of the first visible exchange.
    var kept: Int
    /// The size of the resulting context, in tokens.
    var tokens: Int
  }

  /// Finds a view of a history that fits the window.
  ///
  /// - Parameters:
  ///   - exchanges: The history.
  ///   - target: The number of tokens to reduce the context to.
  /// - Returns: The view, or `nil` if nothing can be left out or cut.
  nonisolated(nonsending) func view(
    of exchanges: Exchanges,
    downTo target: Int
  ) async throws -> Result? {
    guard !exchanges.starts.isEmpty else { return nil }
    let last = exchanges.starts.count - 1
    var kept = try await firstKept(of: exchanges, downTo: target)
    while true {
      var result = try await measured(exchanges, from: kept)
      if result.tokens <= max(target, limits.high) { return result }
      guard kept == last else {
        kept += 1
        continue
      }
      // Only the current exchange is left, and only its outputs can be shortened.
      try await cutOutputs(of: exchanges.entries(of: last), in: &result, exchanges, to: limits.high)
      return result
    }
  }

  /// Returns the index of the first of the newest exchanges that together have about the target
  /// size.
  nonisolated(nonsending) private func firstKept(
    of exchanges: Exchanges,
    downTo target: Int
  ) async throws -> Int {
    let last = exchanges.starts.count - 1
    func tokens(_ index: Int) -> Int {
      exchanges.entries(of: index).reduce(0) { $0 + meter.estimate($1) }
    }
    var sum = try await meter.count(leading + [.prompt(.init(segments: []))])
    sum += limits.summary + tokens(last)
    var kept = last
    while kept > 0 {
      sum += tokens(kept - 1)
      guard sum <= target else { break }
      kept -= 1
    }
    // Something must be left out, because the caller asked for it.
    return exchanges.entries(before: kept).isEmpty && last > 0 ? 1 : kept
  }

  nonisolated(nonsending) private func measured(
    _ exchanges: Exchanges,
    from kept: Int
  ) async throws -> Result {
    var view = ContextView(firstPrompt: exchanges.id(of: kept))
    if !exchanges.entries(before: kept).isEmpty {
      view.note = note(leavingOut: kept, of: exchanges)
    }
    let tokens = try await count(view, of: exchanges)
    return Result(view: view, kept: kept, tokens: tokens)
  }

  nonisolated(nonsending) func count(
    _ view: ContextView,
    of exchanges: Exchanges
  ) async throws -> Int {
    let history = exchanges.history
    return try await meter.count(leading + (view.applied(to: history) ?? Array(history)))
  }

  /// The note that the model reads, without a summary, in place of the exchanges that it does not
  /// see.
  private func note(leavingOut count: Int, of exchanges: Exchanges) -> String {
    let entries = exchanges.entries(before: count)
    let tokens = entries.reduce(0) { $0 + meter.estimate($1) }
    return "[The earlier part of this conversation, about \(tokens) tokens in \(entries.count)"
      + " entries, is not shown: the context holds \(limits.window) tokens.]"
  }

  /// Shortens outputs, longest first, until the context fits or nothing more can be shortened.
  nonisolated(nonsending) private func cutOutputs(
    of entries: ArraySlice<Transcript.Entry>,
    in result: inout Result,
    _ exchanges: Exchanges,
    to limit: Int
  ) async throws {
    let outputs = entries.compactMap { entry -> (output: Transcript.ToolOutput, tokens: Int)? in
      guard case .toolOutput(let output) = entry else { return nil }
      return (output, meter.model.tokenCount(of: output.segments.joinedText))
    }
    for (output, tokens) in outputs.sorted(by: { $0.tokens > $1.tokens }) {
      let excess = result.tokens - limit
      guard excess > 0 else { return }
      let shown = max(tokens - excess - OutputCut.noteTokens, OutputCut.least)
      guard shown < tokens else { return }
      let cut = OutputCut(
        text: output.segments.joinedText,
        tokens: tokens,
        shown: shown,
        window: limits.window
      )
      result.view.cutOutputs.append(.init(whole: output, text: cut.text))
      result.tokens = try await count(result.view, of: exchanges)
    }
  }
}

/// The beginning of a tool's output, with a note that the rest is not shown.
private struct OutputCut {
  /// The approximate size of the note.
  static let noteTokens = 40
  /// The minimum size of an excerpt that still says something.
  static let least = 16

  let text: String

  init(text whole: String, tokens: Int, shown: Int, window: Int) {
    let count = Int(Double(whole.count) * Double(shown) / Double(max(tokens, 1)))
    text =
      "[Only the beginning of this output is shown, about \(shown) of \(tokens) tokens: the context"
      + " holds \(window).]\n" + whole.prefix(count)
  }
}
