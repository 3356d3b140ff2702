import AgentKit
package import Foundation
import Wire

/// An agent's place in a conversation: its worker, and what that worker knows.
struct Seat {
  let agent: LaunchableAgent
  let link: any WorkerLink
  /// How many entries of the history, from its beginning, the worker has.
  ///
  /// Counted, because to compare a long history would cost more than the rest of a turn.
  var known = 0
  /// The session properties that the worker has, as JSON by name.
  var properties: [String: String] = [:]
  var isReady = false
  var model: String?

  /// What the worker has to be told so that it knows the whole history.
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
  /// Gives an order.
  ///
  /// What makes it too long for one message, as a few photographs do, goes before it.
  /// - Throws: `WireBreach` for an entry or a property that is too long alone.
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
  /// Takes what the worker says; ends when the worker has ended and that is journaled.
  let reader: Task<Void, Never>
  /// The turn for which it was launched.
  let turn: Int64
  let launched: Date
  var figures = RequestFigures()
  /// What the friends that it phoned had used when they were gone.
  var friends = RequestFigures()
  /// What its last request and answer were together.
  var contextTokens: Int?
  /// The entries that it has said of turns that were over, since it was given one.
  var strays = 0
}

/// A worker as a person is shown it.
package struct WorkerStatus: Sendable, Equatable, Codable {
  package enum Role: String, Sendable, Codable {
    /// It holds the baton.
    case baton
    /// It has held the baton and keeps its context.
    case waiting
    case friend
  }

  package enum State: String, Sendable, Codable {
    case loading, idle, responding
    /// It waits for a person to approve a call.
    case asking
  }

  package var run: String
  package var pid: Int32
  package var agent: String
  /// Whose it is, also that of a friend.
  package var session: String
  package var role: Role
  package var state: State
  /// The tools that it runs now, in the order of the calls.
  package var tools: [String]
  package var model: String?
  /// What it and the friends that it phoned have read and written, also those that are gone.
  package var tokensIn: Int
  package var tokensCached: Int
  package var tokensOut: Int
  package var tokensPerSecond: Double
  /// What its last request and its answer were together, in tokens.
  package var contextTokens: Int?
  /// Its window, in tokens.
  package var contextSize: Int?
  /// Proportional set size in bytes.
  package var memory: Int?
  package var launched: Date
  package var launcher: String
  /// Where it stands among those that wait for a core, one for the next; `nil` when it does not wait.
  package var corePlace: Int?
  /// The workers of the friends that this one has on the phone.
  package var friends: [WorkerStatus]
}
