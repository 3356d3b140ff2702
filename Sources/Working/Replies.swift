import Synchronization

/// Questions to the coordinator that wait for their answers.
///
/// Every question gets exactly one: the coordinator's, or the cancellation of its turn.
final class Replies: Sendable {
  private struct State {
    var waiting: [Question: CheckedContinuation<Reply, any Error>] = [:]
    var cancelledTurn = -1
    /// The cap that has ended a turn.
    var cap: (name: String, turn: Int)?
  }

  enum Question: Hashable, Sendable {
    case admission
    case recording(entryID: String)
    case state
    case approval(callID: String)
    case baton(callID: String)
    case friend(callID: String)
  }

  private let state = Mutex(State())

  /// Asks, and waits for the answer.
  ///
  /// `ask` is called once it can be received.
  func wait(for question: Question, turn: Int, ask: () -> Void) async throws -> Reply {
    try await withCheckedThrowingContinuation { continuation in
      let isCancelled = state.withLock { state in
        if state.cancelledTurn >= turn { return true }
        state.waiting[question] = continuation
        return false
      }
      if isCancelled {
        continuation.resume(throwing: CancellationError())
      } else {
        ask()
      }
    }
  }

  /// Gives a question its answer.
  ///
  /// One that comes after its turn was cancelled has nobody to go to; that is no fault.
  func answer(_ question: Question, _ reply: Reply) {
    let continuation = state.withLock { $0.waiting.removeValue(forKey: question) }
    continuation?.resume(returning: reply)
  }

  /// Takes the cap because of which a turn is cancelled.
  func note(cap: String, of turn: Int) {
    state.withLock { $0.cap = (cap, turn) }
  }

  /// The cap because of which a turn is cancelled.
  func cap(of turn: Int) -> String? {
    state.withLock { state in state.cap.flatMap { $0.turn == turn ? $0.name : nil } }
  }

  /// Answers everything that waits, and whatever the turn still asks, by cancellation.
  func cancel(turn: Int) {
    let waiting = state.withLock { state in
      state.cancelledTurn = max(state.cancelledTurn, turn)
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
  }
}
