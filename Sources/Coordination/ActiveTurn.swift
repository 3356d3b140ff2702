import AgentKit
import Foundation
import Journal
import Wire

/// The turn that a conversation is in.
struct ActiveTurn {
  let id: Int64
  let holderBefore: String
  let started = Date()
  /// When the cap on seconds ends it.
  let deadline: Date
  /// Whether a person is there who can be asked.
  let isAttended: Bool
  let watch: @Sendable (TurnEvent) -> Void
  let finish: @Sendable (TurnResult) -> Void
  var budget: Budget
  /// The worker that answers now; `nil` while the turn is on its way to one.
  var run: RunID?
  /// Whether that worker has said anything in this turn.
  var isHeard = false
  /// Why the turn is being stopped, once it is.
  var stopping: TurnExit?
  /// The calls that wait for a person.
  var asking: Set<String> = []
  /// The pass of the baton that was asked for last.
  var passing: Task<Void, Never>?
  /// What the agents see: the conversation's history with what this turn has made of it.
  var history: [Transcript.Entry]
  /// With how many entries the conversation's history still begins as before the turn.
  var unchanged: Int
  var answer: String?
  var figures = RequestFigures()

  mutating func note(_ entry: Transcript.Entry) {
    history.append(entry)
    if case .response(let response) = entry { answer = response.segments.joinedText }
  }
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
}
