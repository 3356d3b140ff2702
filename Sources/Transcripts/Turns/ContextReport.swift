/// A report on how a context was made to fit.
package struct ContextReport: Sendable, Equatable, Codable {
  /// The number of exchanges of prompt and answer that the model no longer sees.
  package var exchanges: Int
  /// The number of tool outputs in the current exchange that were cut.
  package var cutOutputs: Int
  package var tokensBefore: Int
  package var tokensAfter: Int
  package var window: Int
  /// Whether the model wrote a summary of what it no longer sees.
  package var isSummarized: Bool
  /// Whether other agents now see the same history; they do not if their windows are wider.
  package var isShared: Bool

  package init(
    exchanges: Int,
    cutOutputs: Int,
    tokensBefore: Int,
    tokensAfter: Int,
    window: Int,
    isSummarized: Bool,
    isShared: Bool
  ) {
    self.exchanges = exchanges
    self.cutOutputs = cutOutputs
    self.tokensBefore = tokensBefore
    self.tokensAfter = tokensAfter
    self.window = window
    self.isSummarized = isSummarized
    self.isShared = isShared
  }
}

extension ContextReport: CustomStringConvertible {
  package var description: String {
    var parts: [String] = []
    if exchanges > 0 {
      let what = isSummarized ? "summarized" : "left out"
      parts.append("\(exchanges.counted("exchange")) \(what)")
    }
    if cutOutputs > 0 {
      parts.append("\(cutOutputs.counted("tool output")) cut")
    }
    let scope = isShared ? "" : ", for this agent only"
    return parts.joined(separator: ", ")
      + ": \(tokensBefore.counted("token")) became \(tokensAfter), the window holds \(window)\(scope)"
  }
}

/// Whether a history fits into an agent's window.
package struct ContextFit: Sendable, Equatable, Codable {
  /// The minimum size of the context that the agent would be given, in tokens.
  package var tokens: Int
  /// The agent's window, or 0 if it is not known.
  package var window: Int

  package init(tokens: Int, window: Int) {
    self.tokens = tokens
    self.window = window
  }

  /// The minimum number of tokens for which an answer is worth starting.
  package static let leastAnswer = 16

  /// Whether there is room for the context and an answer.
  package var fits: Bool { window == 0 || tokens + Self.leastAnswer <= window }
}
