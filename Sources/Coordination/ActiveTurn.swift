import Foundation
import Journal
import Transcripts
import Wire

/// The turn that a conversation is working on, owned by the conversation's actor.
///
/// A reference, because a turn is large and every message of a worker asks about it.
final class ActiveTurn {
  let id: Int64
  let holderBefore: String
  let started = Date()
  /// When the cap on seconds ends the turn, on the clock of its alarm: a wall clock can be set.
  let deadline: SuspendingClock.Instant
  /// Whether a person is present who can be asked.
  var isAttended: Bool
  let watch: @Sendable (TurnEvent) -> Void
  let finish: @Sendable (TurnResult) -> Void
  var budget: Budget
  var quota: Quota
  var repetition = Repetition()
  /// The worker that is answering; `nil` while the turn is on its way to one.
  var run: RunID?
  /// Whether that worker has said anything in this turn.
  var isHeard = false
  /// The admission that the worker was given for its next request before asking for it.
  var admissionAhead: AdmissionAnswer?
  /// The request admitted last, until its cost is journaled.
  var openRequest: OpenRequest?
  /// How often an admission was taken back.
  private(set) var takenBack = 0
  private static let maximumTakenBack = 4
  /// Why the turn is being stopped; `nil` while it goes on.
  var stopping: TurnExit?
  /// Whether an earlier coordinator began the turn.
  var isResumed = false
  /// Whether the turn is left without an end because the next coordinator continues it.
  var isLeftOpen = false
  /// The most recently requested pass of the baton.
  var passing: Task<Void, Never>?
  /// How often the turn was given to a worker.
  var attempts = 0
  /// What the worker has said that is not yet journaled.
  var held: HeldEntries?
  /// The latest wait of the worker for a server.
  var serverWait: AwaitedServer?
  /// The round whose calls do not all have outputs yet.
  var round: OpenRound?
  /// The answers of the friends that the open calls have phoned.
  var phoned = KeptAnswers()
  /// What a person was asked, by call.
  var approvals: [String: ApprovalQuestion] = [:]
  /// Whether the last entry is the answer and only the worker's confirmation is missing.
  var hasAnswer = false
  /// The cap at which the answer was given; what hooks use afterwards no longer cuts it short.
  var capOfAnswer: String?
  /// What the agents see: the conversation's history plus what this turn added.
  var history: [Transcript.Entry]
  /// How many leading entries of the history are unchanged since before the turn.
  var unchanged: Int
  /// What the worker has said so far of the entry that it is generating.
  var partial = PartialText()
  var answer: String?
  /// What the turn has used, including its friends.
  var figures = RequestFigures()

  init(
    id: Int64,
    holderBefore: String,
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    finish: @escaping @Sendable (TurnResult) -> Void,
    budget: Budget,
    quota: Quota,
    history: [Transcript.Entry],
    unchanged: Int
  ) {
    self.id = id
    self.holderBefore = holderBefore
    self.deadline = deadline
    self.isAttended = isAttended
    self.watch = watch
    self.finish = finish
    self.budget = budget
    self.quota = quota
    self.history = history
    self.unchanged = unchanged
  }

  /// Whether a call is waiting for a person.
  var isAsking: Bool { approvals.values.contains { $0.answer == nil } }

  /// The seconds left until the cap ends the turn; at least one.
  var secondsLeft: Int {
    max(1, Int(SuspendingClock.now.duration(to: deadline).components.seconds))
  }

  /// When a friend phoned now ends, so that this turn can still answer.
  var deadlineOfFriend: SuspendingClock.Instant {
    let now = SuspendingClock.now
    return now + Budget.timeOfFriend(callerHas: now.duration(to: deadline))
  }

  /// Whether a cap stops the turn after it already had its answer.
  var isAnsweredAtCap: Bool {
    if case .cap? = stopping { hasAnswer } else { false }
  }

  /// Whether the turn is stopped by something other than a cap.
  var isTakenBack: Bool {
    switch stopping {
    case nil, .cap?: false
    default: true
    }
  }

  /// Leaves the turn to the next coordinator if an earlier one began it and nobody has stopped it.
  ///
  /// Whoever asked for such a turn is gone, so nobody here can take it back.
  func leaveOpen() {
    if isResumed, stopping == nil { isLeftOpen = true }
  }

  /// Records a change to an entry that is being generated.
  func note(_ change: TextChange) {
    partial.take(change)
    openRequest?.texts += 1
  }

  /// Records a journaled entry.
  func note(_ record: EntryRecord) {
    history.append(record.entry)
    partial = PartialText()
    hasAnswer = record.answer != nil
    if hasAnswer { capOfAnswer = budget.reached ?? record.cut }
    switch record.entry {
    case .response: answer = record.answer
    case .toolOutput(let output):
      round?.close(output.id)
      if round?.calls.isEmpty == true { round = nil }
      phoned.forget(callID: output.id)
      approvals[output.id] = nil
      // Figures that come with an output are those of a tool's own sessions.
      return
    case .instructions, .prompt, .toolCalls, .reasoning: break
    }
    if record.request != nil { openRequest = nil }
  }

  /// Spends the tokens known to have been generated by a request that will not be journaled.
  func dropRequest() {
    guard let dropped = openRequest.take() else { return }
    budget.spend(tokens: dropped.texts)
  }

  /// Takes back an admission from which the worker produced nothing.
  ///
  /// The number of times is bounded: workers could otherwise die and be replaced forever, and caps
  /// must always end a loop.
  func takeBackAdmission() {
    guard let admission = openRequest?.admission, takenBack < Self.maximumTakenBack else {
      return dropRequest()
    }
    takenBack += 1
    // A last answer is granted again in full, from its own few tokens, so nothing is spent here.
    if case .lastAnswer = admission { openRequest = nil }
    dropRequest()
    budget.takeBack(admission)
  }
}

/// A wait of a worker for a server that refuses its request for a while.
struct AwaitedServer {
  private let wait: ServerWait
  private let end: SuspendingClock.Instant

  init(_ wait: ServerWait) {
    self.wait = wait
    end = .now + .seconds(wait.seconds)
  }

  /// The wait, unless it is over.
  var current: ServerWait? { SuspendingClock.now < end ? wait : nil }
}

/// An admitted request whose cost is not journaled yet.
struct OpenRequest: Sendable {
  let admission: RoundAdmission
  /// How many text changes the worker has sent for the request; each is at least one token.
  var texts = 0

  init(_ admission: RoundAdmission) {
    self.admission = admission
  }
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
  /// The text of the answer that was being written; `nil` when there was none.
  let unfinishedAnswer: String?
}
