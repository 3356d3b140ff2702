import Transcripts

/// What those who wait for a turn are told.
enum TurnPart: Sendable {
  case ended(TurnResult)
  /// The turn waits for its client, and goes on with what the client submits.
  case waitsForClient

  /// What the turn came to; `nil` if it waits.
  var result: TurnResult? { if case .ended(let result) = self { result } else { nil } }
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
  /// The text of the answer that was being written; `nil` when there was none.
  let unfinishedAnswer: String?
}
