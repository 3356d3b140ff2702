import Synchronization

/// Questions to the coordinator that wait for their answers.
///
/// Every question gets exactly one: the coordinator's, or the cancellation of its turn.
final class Replies: Sendable {
  /// How far a question has come that was asked.
  private enum Asked {
    case open
    case awaited(CheckedContinuation<Reply, any Error>)
    /// Before anybody waited for it.
    case answered(Reply)
  }

  private struct State {
    var asked: [Question: Asked] = [:]
    /// The turn whose questions these are.
    var turn = -1
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
  func wait(for question: Question, turn: Int, send: () -> Void) async throws -> Reply {
    ask(question, turn: turn, send: send)
    return try await awaitAnswer(to: question)
  }

  /// Asks what somebody will wait for.
  ///
  /// `send` is called once an answer can be received.
  func ask(_ question: Question, turn: Int, send: () -> Void) {
    let isCancelled = state.withLock { state in
      if state.cancelledTurn >= turn { return true }
      state.turn = turn
      state.asked[question] = .open
      return false
    }
    if !isCancelled { send() }
  }

  /// Waits for the answer to a question that was asked; one that was cancelled is unknown.
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

  /// Gives a question its answer.
  ///
  /// One that comes after its turn was cancelled has nobody to go to; that is no fault. The next turn may
  /// ask the same, and this is no answer to it.
  func answer(_ question: Question, _ reply: Reply, in turn: Int) {
    let continuation: CheckedContinuation<Reply, any Error>? = state.withLock { state in
      guard turn == state.turn else { return nil }
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

  /// Takes the cap because of which a turn is cancelled.
  func note(cap: String, of turn: Int) {
    state.withLock { $0.cap = (cap, turn) }
  }

  /// The cap because of which a turn is cancelled.
  func cap(of turn: Int) -> String? {
    state.withLock { state in state.cap.flatMap { $0.turn == turn ? $0.name : nil } }
  }

  /// Answers everything that has no answer, and whatever the turn still asks, by cancellation.
  func cancel(turn: Int) {
    let waiting = state.withLock { state in
      state.cancelledTurn = max(state.cancelledTurn, turn)
      var waiting: [CheckedContinuation<Reply, any Error>] = []
      for (question, asked) in state.asked {
        switch asked {
        case .open: break
        case .awaited(let continuation): waiting.append(continuation)
        // What was answered is so, whatever becomes of the turn.
        case .answered: continue
        }
        state.asked[question] = nil
      }
      return waiting
    }
    for continuation in waiting { continuation.resume(throwing: CancellationError()) }
  }
}
