/// How full a window may become, and how empty a consolidation leaves it.
struct ContextLimits {
  let window: Int
  /// The size above which a context counts as nearly full.
  let high: Int
  /// The size to which a consolidation reduces a context.
  ///
  /// It is low so that the next consolidation is far off: each one changes the beginning of the
  /// context, which must then be computed again in full.
  let low: Int
  /// The maximum length of a summary of what is left out.
  let summary: Int

  /// Derives the limits from a window.
  ///
  /// - Parameters:
  ///   - window: The window, in tokens.
  ///   - answer: The maximum number of tokens in the answer, if known.
  init(window: Int, answer: Int?) {
    self.window = window
    // Room for the answer, and for the request for a summary, which comes at the end of a full
    // context.
    let reserve = min(max(answer ?? 0, window / 8, ContextFit.leastAnswer), max(window / 4, 1))
    high = window - reserve
    low = high / 2
    // Longer summaries take more time than they are worth.
    summary = min(window / 8, 384)
  }
}

/// A counter of entries in a model's tokens.
struct ContextMeter {
  let model: any LocalLanguageModel
  let tools: [Transcript.ToolDefinition]

  nonisolated(nonsending) func count(_ entries: [Transcript.Entry]) async throws -> Int {
    try await model.tokenCount(of: entries, tools: tools)
  }

  /// Returns the approximate number of tokens in an entry, including the template's markup.
  func estimate(_ entry: Transcript.Entry) -> Int { model.tokenCount(of: entry.text) + 8 }

  /// Whether entries certainly fit, determined without rendering them.
  func certainlyFits(_ entries: [Transcript.Entry], into limit: Int) -> Bool {
    // A generous allowance for what templates add.
    var room = limit - 512
    for tool in tools where room >= 0 {
      room -= tool.name.utf8.count + tool.description.utf8.count
      room -= tool.parameters.jsonSchema.jsonString.utf8.count + 64
    }
    // No token is shorter than a byte, and counting bytes is free.
    return fit(entries, into: room) { $0.utf8.count }
      || fit(entries, into: room, model.tokenCount(of:))
  }

  private func fit(
    _ entries: [Transcript.Entry],
    into room: Int,
    _ count: (String) -> Int
  ) -> Bool {
    var rest = room
    for entry in entries {
      guard rest >= 0, let most = entry.mostTokens(count) else { return false }
      rest -= most
    }
    return rest >= 0
  }
}

extension Transcript.Entry {
  /// An upper bound on the entry's tokens, including the template's markup.
  ///
  /// It is `nil` if only the model can tell.
  fileprivate func mostTokens(_ count: (String) -> Int) -> Int? {
    if segments.hasAttachments { return nil }
    switch self {
    case .prompt(let prompt): return count(prompt.segmentsWithSchema.joinedText) + 64
    case .instructions, .response, .reasoning: return count(text) + 64
    // Many templates write these entries as JSON, which has different and more tokens.
    case .toolCalls(let calls): return text.utf8.count + 64 * (calls.count + 1)
    case .toolOutput: return text.utf8.count + 64
    }
  }
}
