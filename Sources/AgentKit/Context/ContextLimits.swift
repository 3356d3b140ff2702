/// How full a window may become, and how empty a consolidation leaves it.
struct ContextLimits {
  /// The tokens without which no answer is worth beginning.
  static let leastAnswer = 16

  let window: Int
  /// A context above this is nearly full.
  let high: Int
  /// A consolidation goes down to this, so that the next one is far away: every one changes the
  /// beginning of the context, and all of it is computed again.
  let low: Int
  /// How long a summary of what is left out may be.
  let summary: Int

  /// - Parameter answer: The most tokens that the answer may have, where that is known.
  init(window: Int, answer: Int?) {
    self.window = window
    // For the answer, and for the question for a summary, which comes at the end of a full context.
    let reserve = min(max(answer ?? 0, window / 8, Self.leastAnswer), max(window / 4, 1))
    high = window - reserve
    low = high / 2
    // Longer summaries cost more time than they are worth.
    summary = min(window / 8, 384)
  }
}

/// Counts what entries are in a model's tokens.
struct ContextMeter {
  let model: any LocalLanguageModel
  let tools: [Transcript.ToolDefinition]

  nonisolated(nonsending) func count(_ entries: [Transcript.Entry]) async throws -> Int {
    try await model.tokenCount(of: entries, tools: tools)
  }

  /// About how many tokens an entry is, with the marks of the template around it.
  func estimate(_ entry: Transcript.Entry) -> Int { model.tokenCount(of: entry.text) + 8 }

  /// Whether entries certainly fit, without rendering them.
  func certainlyFits(_ entries: [Transcript.Entry], into limit: Int) -> Bool {
    // Generously, as all that templates add.
    var room = limit - 512
    for tool in tools where room >= 0 {
      room -= tool.name.utf8.count + tool.description.utf8.count
      room -= tool.parameters.jsonSchema.jsonString.utf8.count + 64
    }
    // No token is shorter than a byte, and to count bytes costs nothing.
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
  /// No fewer than a model reads, with what templates put around it, generously; `nil` where only the
  /// model knows.
  fileprivate func mostTokens(_ count: (String) -> Int) -> Int? {
    if segments.hasAttachments { return nil }
    switch self {
    case .prompt(let prompt): return count(prompt.segmentsWithSchema.joinedText) + 64
    case .instructions, .response, .reasoning: return count(text) + 64
    // Many templates write these as JSON, in which they are other and more tokens.
    case .toolCalls(let calls): return text.utf8.count + 64 * (calls.count + 1)
    case .toolOutput: return text.utf8.count + 64
    }
  }
}
