import AgentKit
import Synchronization
import Wire

/// An answer from the coordinator.
enum Reply: Sendable {
  case admission(AdmissionAnswer)
  case recorded(admittedCalls: Int, repeatedCalls: [Int], next: AdmissionAnswer?)
  case settled
  case stateKept
  case approval(Approval)
  case baton(BatonAnswer)
  case friend(FriendAnswer)
}

/// Questions to the coordinator that wait for their answers.
///
/// Each gets exactly one: the coordinator's, or the cancellation of its turn.
final class Replies: Sendable {
  /// The progress of a question.
  private enum Asked {
    case open
    case awaited(CheckedContinuation<Reply, any Error>)
    /// Answered before anybody waited for it.
    case answered(Reply)
  }

  private struct State {
    var asked: [Question: Asked] = [:]
    /// The turn that these questions belong to.
    var turn = -1
    var cancelledTurn = -1
    /// The cap that ended a turn.
    var cap: (name: String, turn: Int)?

    /// Forgets unanswered questions and returns the continuations that wait for them.
    mutating func takeUnanswered() -> [CheckedContinuation<Reply, any Error>] {
      var waiting: [CheckedContinuation<Reply, any Error>] = []
      for (question, progress) in asked {
        switch progress {
        case .open: break
        case .awaited(let continuation): waiting.append(continuation)
        // An answer stands, whatever becomes of the turn.
        case .answered: continue
        }
        asked[question] = nil
      }
      return waiting
    }
  }

  enum Question: Hashable, Sendable {
    case admission
    case recording(entryID: String)
    case settling
    case state
    case approval(callID: String)
    case baton(callID: String)
    case friend(callID: String)
  }

  private let state = Mutex(State())

  /// Asks a question and waits for the answer.
  func wait(for question: Question, turn: Int, send: () -> Void) async throws -> Reply {
    try ask(question, turn: turn, send: send)
    return try await awaitAnswer(to: question)
  }

  /// Asks a question whose answer will be waited for.
  ///
  /// `send` is called once an answer can be received.
  ///
  /// - Throws: `AskedTwice` while the same question waits for its answer, because an answer names
  ///   only its question; `CancellationError` for a turn that another has followed.
  func ask(_ question: Question, turn: Int, send: () -> Void) throws {
    let (isCancelled, left) = try state.withLock {
      state -> (Bool, [CheckedContinuation<Reply, any Error>]) in
      if state.turn > turn { throw CancellationError() }
      if state.cancelledTurn >= turn { return (true, []) }
      let left = state.turn < turn ? state.takeUnanswered() : []
      state.turn = turn
      switch state.asked[question] {
      case .open, .awaited: throw AskedTwice(question: question)
      case .answered, nil: state.asked[question] = .open
      }
      return (false, left)
    }
    // Left behind by a turn that is over; nobody answers them any more.
    for continuation in left { continuation.resume(throwing: CancellationError()) }
    if !isCancelled { send() }
  }

  /// Sends a message that is not answered, unless its turn is cancelled.
  ///
  /// - Throws: `CancellationError` for a turn that another has followed.
  func say(in turn: Int, send: () -> Void) throws {
    let isCancelled = try state.withLock { state in
      if state.turn > turn { throw CancellationError() }
      return state.cancelledTurn >= turn
    }
    if !isCancelled { send() }
  }

  /// Waits for the answer to a question already asked; a cancelled one is no longer known.
  func awaitAnswer(to question: Question) async throws -> Reply {
    try await withCheckedThrowingContinuation { continuation in
      let result: Result<Reply, any Error>? = state.withLock { state in
        switch state.asked[question] {
        case .open:
          state.asked[question] = .awaited(continuation)
          return nil
        case .answered(let reply):
          state.asked[question] = nil
          return .success(reply)
        case .awaited: return .failure(ProtocolFault())
        case nil: return .failure(CancellationError())
        }
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Answers a question.
  ///
  /// An answer that comes after its turn was cancelled is dropped, which is no fault. The next turn
  /// may ask the same question, and the late answer does not count for it.
  func answer(_ question: Question, _ reply: Reply, in turn: Int) {
    let continuation: CheckedContinuation<Reply, any Error>? = state.withLock { state in
      guard turn == state.turn, turn > state.cancelledTurn else { return nil }
      switch state.asked[question] {
      case .open: state.asked[question] = .answered(reply)
      case .awaited(let continuation):
        state.asked[question] = nil
        return continuation
      case .answered, nil: break
      }
      return nil
    }
    continuation?.resume(returning: reply)
  }

  /// Drops whatever a turn is answered, asks or says from now on; `cancel` then ends its waits.
  ///
  /// For the thread that delivers answers: the coordinator may send one, such as a denial, because
  /// it cancels the turn.
  func close(turn: Int) {
    state.withLock { $0.cancelledTurn = max($0.cancelledTurn, turn) }
  }

  /// Notes the cap that causes the cancellation of a turn.
  func note(cap: String, of turn: Int) {
    state.withLock { $0.cap = (cap, turn) }
  }

  /// Returns the cap that caused the cancellation of a turn.
  func cap(of turn: Int) -> String? {
    state.withLock { state in state.cap.flatMap { $0.turn == turn ? $0.name : nil } }
  }

  /// Cancels all unanswered questions, and whatever the turn still asks.
  func cancel(turn: Int) {
    let waiting = state.withLock { state in
      state.cancelledTurn = max(state.cancelledTurn, turn)
      return state.takeUnanswered()
    }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
  }
}

/// A reply that does not fit its question.
struct ProtocolFault: Error {}

/// A question asked while the same one waits for its answer.
struct AskedTwice: Error, CustomDebugStringConvertible {
  let question: Replies.Question

  var debugDescription: String {
    switch question {
    case .friend:
      "A call of a tool can have only one friend on the phone at a time: wait for its answer before"
        + " you phone another."
    case .baton:
      "A call of a tool can pass the baton only once at a time: wait for the answer before you pass"
        + " it again."
    case .approval(let callID):
      "Two calls have the id '\(callID)', and a person is already being asked about one of them."
    case .admission, .recording, .settling, .state:
      "'\(question)' was asked again before it was answered."
    }
  }
}
