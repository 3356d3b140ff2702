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
  let watch: @Sendable (TurnEvent) -> Void
  let finish: @Sendable (TurnResult) -> Void
  var budget: Budget
  /// The worker that answers now.
  var run: RunID?
  /// Why the turn is being stopped, once it is.
  var stopping: TurnExit?
  var entries: [Transcript.Entry] = []
  var answer: String?
  var figures = RequestFigures()
  /// The friends on the phone, by the call that they answer.
  var friends: [String: Conversation] = [:]
  var callNames: [String: String] = [:]

  mutating func note(_ entry: Transcript.Entry) {
    entries.append(entry)
    switch entry {
    case .toolCalls(let calls):
      for call in calls { callNames[call.id] = call.toolName }
    case .response(let response):
      answer = response.segments.joinedText
    case .instructions, .prompt, .toolOutput, .reasoning:
      break
    }
  }
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
}
