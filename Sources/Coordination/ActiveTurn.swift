import AgentKit
import Foundation
import Wire

/// The turn that a conversation is in.
struct ActiveTurn {
  let id: Int64
  let holderBefore: String
  let started = Date()
  /// When the cap on seconds ends it, by the clock of its alarm: a clock on the wall may be set.
  let deadline: SuspendingClock.Instant
  /// Whether a person is there who can be asked.
  let isAttended: Bool
  let watch: @Sendable (TurnEvent) -> Void
  let finish: @Sendable (TurnResult) -> Void
  var budget: Budget
  var quota: Quota
  var repetition = Repetition()
  /// The worker that answers now; `nil` while the turn is on its way to one.
  var run: RunID?
  /// Whether that worker has said anything in this turn.
  var isHeard = false
  /// What its worker was told of its next request before it asks.
  var admissionAhead: AdmissionAnswer?
  /// What was admitted last, as long as nothing is journaled of what the request has made.
  var openAdmission: RoundAdmission?
  /// How often such an admission was taken back.
  private(set) var takenBack = 0
  private static let maximumTakenBack = 4
  /// Why the turn is being stopped, once it is.
  var stopping: TurnExit?
  /// Whether an earlier coordinator has begun it.
  var isResumed = false
  /// Whether it gets no end here, because the next coordinator goes on with it.
  var isLeftOpen = false
  /// The pass of the baton that was asked for last.
  var passing: Task<Void, Never>?
  /// How often it was given to a worker.
  var attempts = 0
  /// The calls that have no output yet.
  var round: OpenRound?
  /// What friends were asked: a worker that takes another's place asks again, and gets the same
  /// answer.
  var phoned: [FriendQuestion: Task<FriendAnswer, Never>] = [:]
  /// What a person was asked, by call.
  var approvals: [String: ApprovalQuestion] = [:]
  /// Whether the last entry is the answer, and the worker has only to say that it is.
  var hasAnswer = false
  /// What the agents see: the conversation's history with what this turn has made of it.
  var history: [Transcript.Entry]
  /// With how many entries the conversation's history still begins as before the turn.
  var unchanged: Int
  /// What the worker is saying, as far as it has come.
  var partial = PartialText()
  var answer: String?
  /// What was used, with what friends have used.
  var figures = RequestFigures()

  /// Whether a call waits for a person.
  var isAsking: Bool { approvals.values.contains { $0.answer == nil } }

  /// What is left until the cap on seconds ends it; one second at the least.
  var secondsLeft: Int {
    max(1, Int(SuspendingClock.now.duration(to: deadline).components.seconds))
  }

  /// Whether a cap stops it that had its answer already.
  var isAnsweredAtCap: Bool {
    if case .cap? = stopping { hasAnswer } else { false }
  }

  /// Leaves it to the next coordinator, where an earlier one has begun it and nobody has stopped it.
  ///
  /// Whoever asked for it is gone, and nobody here takes it back.
  mutating func leaveOpen() {
    if isResumed, stopping == nil { isLeftOpen = true }
  }

  /// - Parameter endsRequest: Whether a request to the model ends with the entry.
  mutating func note(_ entry: Transcript.Entry, endsRequest: Bool) {
    history.append(entry)
    partial = PartialText()
    hasAnswer = false
    switch entry {
    case .response(let response):
      // Text beside calls comes before them, and is no answer.
      hasAnswer = endsRequest
      answer = endsRequest ? response.segments.joinedText : nil
    case .toolOutput(let output):
      round?.close(output.id)
      if round?.calls.isEmpty == true { round = nil }
      phoned = phoned.filter { $0.key.callID != output.id }
      approvals[output.id] = nil
      // What it may come with is what a tool's own sessions have used.
      return
    case .instructions, .prompt, .toolCalls, .reasoning: break
    }
    if endsRequest { openAdmission = nil }
  }

  /// Takes back what its worker was admitted and has made nothing of.
  ///
  /// Only so often: workers that live long enough may die for ever, and caps always end a loop.
  mutating func takeBackAdmission() {
    defer { openAdmission = nil }
    guard let openAdmission, takenBack < Self.maximumTakenBack else { return }
    takenBack += 1
    budget.takeBack(openAdmission)
  }
}

/// What a friend is asked, and for which call.
///
/// A tool may ask more than one in a call, one after the other.
struct FriendQuestion: Sendable, Hashable {
  let callID: String
  let friend: String
  let prompt: String
}

/// What a turn came to, and what it left of its budget.
struct TurnResult: Sendable {
  let summary: TurnSummary
  let budget: Budget
}
