import Transcripts
import Wire

// What a worker is told of a turn.

extension TurnOrder {
  /// An order that brings a worker fully up to date.
  /// - Parameter traceparent: The span in which the worker asks servers.
  init(
    _ state: TurnState,
    for slot: AgentSlot,
    traceparent: String?,
    widestWindow: Int?,
    secondsLeft: Int
  ) {
    var options = state.options
    if let traceparent {
      options = options ?? TurnOptions()
      options?.traceparent = traceparent
    }
    self.init(
      turn: Int(state.id),
      kept: slot.knownEntries,
      added: Array(state.history[slot.knownEntries...]),
      options: options,
      properties: state.properties.filter { slot.properties[$0.key] != $0.value },
      widestWindow: widestWindow,
      secondsLeft: secondsLeft
    )
  }

  /// The order with the calls that an agent has begun and not finished.
  func goingOn(with state: TurnState, as agent: String) -> TurnOrder {
    var order = self
    var open: [Transcript.ToolCall] = []
    if let round = state.round, round.agent == agent {
      open = round.open
      order.openCalls = round.progress
      // One of the round's calls may have passed the baton and have its output already.
      order.hasPassedBaton = state.baton.holder != agent
    }
    // An agent may have removed calls from the history, or outputs from behind other calls.
    if state.history.lazy.map(\.entry).openCalls != open { order.unfinishedCalls = open }
    return order
  }
}
