import Foundation
import Transcripts
import Wire

/// An agent's place in a conversation: its worker, and what that worker knows.
///
/// A reference, because every message of a worker looks for its seat.
final class Seat {
  let agent: LaunchableAgent
  let link: any WorkerLink
  /// How many leading entries of the history the worker has.
  ///
  /// Counted, because comparing a long history would cost more than the rest of a turn.
  var known = 0
  /// The session properties that the worker has, as JSON by name.
  var properties: [String: String] = [:]
  var isReady = false
  var model: String?

  init(agent: LaunchableAgent, link: any WorkerLink) {
    (self.agent, self.link) = (agent, link)
  }

  /// Returns the order that brings the worker up to date with the whole history.
  func order(
    turn: Int64,
    history: [Transcript.Entry],
    properties: [String: String]
  ) -> TurnOrder {
    TurnOrder(
      turn: Int(turn),
      kept: known,
      added: Array(history[known...]),
      properties: properties.filter { self.properties[$0.key] != $0.value }
    )
  }
}

extension WorkerLink {
  /// Sends an order.
  ///
  /// Content that makes it too long for one message, such as a few photographs, is sent before it.
  /// - Throws: `WireBreach` for a single entry or property that is too long.
  func send(_ order: TurnOrder, as message: (TurnOrder) -> ToWorker) throws {
    do {
      try send(message(order))
    } catch WireBreach.messageTooLong where !order.added.isEmpty || !order.properties.isEmpty {
      try tell(order.properties.sorted { $0.key < $1.key }[...])
      try tell(order.added[...], after: order.kept)
      var rest = order
      rest.kept += rest.added.count
      (rest.added, rest.properties) = ([], [:])
      try send(message(rest))
    }
  }

  private func tell(_ properties: ArraySlice<(key: String, value: String)>) throws {
    guard !properties.isEmpty else { return }
    let values = Dictionary(uniqueKeysWithValues: properties.map { ($0.key, $0.value) })
    do {
      try send(.properties(values))
    } catch WireBreach.messageTooLong where properties.count > 1 {
      let half = properties.count / 2
      try tell(properties.prefix(half))
      try tell(properties.dropFirst(half))
    }
  }

  private func tell(_ entries: ArraySlice<Transcript.Entry>, after kept: Int) throws {
    guard !entries.isEmpty else { return }
    do {
      try send(.history(kept: kept, added: Array(entries)))
    } catch WireBreach.messageTooLong where entries.count > 1 {
      let half = entries.count / 2
      try tell(entries.prefix(half), after: kept)
      try tell(entries.dropFirst(half), after: kept + half)
    }
  }
}

/// A worker from its launch to its end.
struct Life {
  let link: any WorkerLink
  /// The run under which the worker was requested; a spare has a run of its own.
  let request: RunID
  /// The task that reads the worker's events; it ends once the worker's end is journaled.
  let reader: Task<Void, Never>
  /// The turn for which the worker was launched.
  let turn: Int64
  let launched: Date
  var figures = RequestFigures()
  /// What friends phoned by the worker had used when they were gone.
  var friends = RequestFigures()
  /// The tokens of its last request and answer together.
  var contextTokens: Int?
  /// The bound that it has reached; it then gets no further turn.
  var exhaustion: Exhaustion?
  /// How many entries of finished turns it has sent since it was given one.
  var strays = 0
}
