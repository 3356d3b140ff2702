import Foundation
import Journal
import Transcripts
import Wire

/// A turn, with those who wait for it.
struct ActiveTurn {
  var turn: Turn
  /// The requests to MCP servers that have no answer yet.
  var requests: [WorkerCall: Task<Void, Never>] = [:]
  let started = Date()
  /// When the cap on seconds ends the turn, on the clock of its alarm: a wall clock can be set.
  let deadline: SuspendingClock.Instant
  let watch: @Sendable (TurnEvent) -> Void
  let finish: @Sendable (TurnResult) -> Void

  init(
    _ turn: Turn,
    deadline: SuspendingClock.Instant,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    finish: @escaping @Sendable (TurnResult) -> Void
  ) {
    self.turn = turn
    self.deadline = deadline
    self.watch = watch
    self.finish = finish
  }

  var id: Int64 { turn.id }

  /// When a friend phoned now ends, so that this turn can still answer.
  var deadlineOfFriend: SuspendingClock.Instant {
    let now = SuspendingClock.now
    return now + Budget.timeOfFriend(callerHas: now.duration(to: deadline))
  }
}

extension TurnClock {
  init(deadline: SuspendingClock.Instant) {
    self.init(now: .now, left: SuspendingClock.now.duration(to: deadline))
  }
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
  /// The text of the answer that was being written; `nil` when there was none.
  let unfinishedAnswer: String?
}

/// What a conversation has come to between turns.
struct ConversationPast: Sendable {
  var history: [RawEntry] = []
  /// The session properties of the agents, as JSON by name.
  var properties: [String: String] = [:]
  var holder = ""

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
}

/// The inputs of a conversation, which are handled in the order in which they come.
struct Mailbox {
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Enters if nothing is being handled; otherwise the caller has to wait.
  mutating func enter() -> Bool {
    defer { isBusy = true }
    return !isBusy
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  mutating func leave() {
    guard !waiting.isEmpty else {
      isBusy = false
      return
    }
    waiting.removeFirst().resume()
  }
}

/// The end of a turn that is not in the journal yet.
///
/// It is written before the next prompt, or when the conversation closes.
struct UnwrittenEnd: Sendable {
  let turn: Int64
  let exit: TurnExit
  /// The agent that the baton went back to.
  let holder: String

  /// What a person needs to know before asking again.
  static let explanation =
    "The end of this turn could not be journaled. It will be tried again before the next prompt"
    + " here and when orchestrator stops; if that fails too, the next start continues the turn. Do"
    + " not ask it again elsewhere."
}
