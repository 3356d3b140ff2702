/// What an agent has written to its session's shared state.
package struct StateChange: Codable, Sendable, Equatable {
  /// The session properties with new values, as JSON by name.
  package var properties: [String: String]
  /// The change to the history that the agents of the conversation share.
  package var history: HistoryEdit?
  /// How the context was made to fit, if that is why the history changed.
  package var context: ContextReport?
  /// The usage of summarizing what is left out, or of the agent's own sessions.
  package var usage: RequestUsage?

  package init(
    properties: [String: String],
    history: HistoryEdit? = nil,
    context: ContextReport? = nil,
    usage: RequestUsage? = nil
  ) {
    self.properties = properties
    self.history = history
    self.context = context
    self.usage = usage
  }

  package var isEmpty: Bool {
    properties.isEmpty && history == nil && context == nil && usage == nil
  }
}
