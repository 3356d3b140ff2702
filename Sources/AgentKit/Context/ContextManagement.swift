/// A choice of who keeps the history within the model's window.
public enum ContextManagement: Sendable {
  /// Orchestrator keeps it there.
  ///
  /// When the window is nearly full, orchestrator consolidates the older part of the history once,
  /// into half of the window, rather than a little in every turn.
  case automatic
  /// The agent keeps it there; a context that does not fit fails the turn.
  case manual
}

extension LanguageModelSession.DynamicProfile {
  /// Sets who keeps the history within the model's window; by default, orchestrator does.
  ///
  /// An agent that uses a transform (`historyTransform`, `rollingWindow` or
  /// `droppingCompletedToolCalls`) or `summarizeHistory` manages its history itself, and
  /// orchestrator does not interfere unless this modifier says so. A standalone session's history
  /// is never managed, as in FoundationModels.
  public func contextManagement(
    _ management: ContextManagement?
  ) -> some LanguageModelSession.DynamicProfile {
    with { $0.contextManagement = $0.contextManagement ?? management }
  }
}

/// What the runner of a turn requires of its context.
package struct ContextPolicy: Sendable {
  /// The largest window of the other agents that share the history, or `nil` if there are none.
  package let widestWindow: Int?

  package init(widestWindow: Int?) {
    self.widestWindow = widestWindow
  }
}
