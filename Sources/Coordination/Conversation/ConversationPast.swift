import Journal
import Transcripts

/// What a conversation has come to between turns.
struct ConversationPast: Sendable {
  var history: ChunkedArray<RawEntry> = []
  /// The session properties of the agents, as JSON by name.
  var properties: [String: String] = [:]
  var holder = ""

  init(
    history: ChunkedArray<RawEntry> = [],
    properties: [String: String] = [:],
    holder: String = ""
  ) {
    (self.history, self.properties, self.holder) = (history, properties, holder)
  }

  /// What a conversation has come to with a turn.
  init(_ state: TurnState) {
    self.init(
      history: state.history,
      properties: state.properties,
      holder: state.baton.holder
    )
  }

  /// Begins a turn.
  func turn(_ id: Int64, budget: Budget) -> TurnState {
    TurnState(
      id: id,
      budget: budget,
      history: history,
      properties: properties,
      holder: holder
    )
  }

  /// Ends a turn: what it has come to stays, or is taken back but for the properties.
  mutating func end(_ state: TurnState, reverts: Bool) {
    properties = state.properties
    holder = reverts ? state.baton.before : state.baton.holder
    if !reverts { history = state.history }
  }
}
