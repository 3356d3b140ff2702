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

extension Transcript.Entry {
  /// What a model reads of the entry, but for what its template adds.
  fileprivate var textForModel: String {
    if case .prompt(let prompt) = self { return prompt.segmentsWithSchema.joinedText }
    return text
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
    // No token is shorter than a byte, and to count bytes costs nothing.
    isBelow(limit, entries, markup: 64) { $0.utf8.count }
      || isBelow(limit, entries, markup: 32, model.tokenCount(of:))
  }

  /// - Parameter markup: What a template puts around an entry, generously.
  private func isBelow(
    _ limit: Int,
    _ entries: [Transcript.Entry],
    markup: Int,
    _ count: (String) -> Int
  ) -> Bool {
    var sum = 512
    for tool in tools {
      sum += tool.name.utf8.count + tool.description.utf8.count
      sum += tool.parameters.jsonSchema.jsonString.utf8.count + 64
      if sum > limit { return false }
    }
    for entry in entries {
      // How many tokens an image is only its model knows.
      if entry.segments.hasAttachments { return false }
      sum += markup + count(entry.textForModel)
      if sum > limit { return false }
    }
    return true
  }
}
