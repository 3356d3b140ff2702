/// Who keeps the history within the model's window.
public enum ContextManagement: Sendable {
  /// Orchestrator: when the window is nearly full, the older part of the history is consolidated
  /// once, into half of the window, and not a little at every turn.
  case automatic
  /// The agent: a context that does not fit fails the turn.
  case manual
}

extension LanguageModelSession.DynamicProfile {
  /// Says who keeps the history within the model's window; orchestrator does by default.
  ///
  /// An agent that has a `historyTransform`, a `rollingWindow` or `summarizeHistory` manages its
  /// history itself, and is left alone without this. A session on its own never has its history
  /// managed, as in FoundationModels.
  public func contextManagement(
    _ management: ContextManagement?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.contextManagement = $0.contextManagement ?? management }
  }
}

/// What whoever runs a turn wants of its context.
package struct ContextPolicy: Sendable {
  /// The largest window of the other agents that share the history; `nil` when there are none.
  package let widestWindow: Int?

  package init(widestWindow: Int?) {
    self.widestWindow = widestWindow
  }
}

/// How a context was made to fit, with figures.
package struct ContextReport: Sendable, Equatable, Codable {
  /// Exchanges of prompt and answer that the model does not see any more.
  package var exchanges: Int
  /// Tool outputs of the current exchange that were cut.
  package var cutOutputs: Int
  package var tokensBefore: Int
  package var tokensAfter: Int
  package var window: Int
  /// Whether the model has written a summary of what it does not see any more.
  package var isSummarized: Bool
  /// Whether the other agents see the same from now on; not when their windows are wider.
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
  /// What the agent would be given at the least, in tokens.
  package var tokens: Int
  /// The agent's window; 0 when it is not known.
  package var window: Int

  package init(tokens: Int, window: Int) {
    self.tokens = tokens
    self.window = window
  }

  /// Whether there is room, also for an answer.
  package var fits: Bool { window == 0 || tokens + ContextLimits.leastAnswer <= window }
}
