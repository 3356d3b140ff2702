import Synchronization
import Wire

/// The requests of one turn that wait for their replies.
///
/// Each ends exactly once: by its reply, or by the cancellation or the end of the turn.
final class TurnRequests: Sendable {
  private typealias Continuation = CheckedContinuation<WorkerReply, any Error>

  private struct State {
    var lastID: Int
    var waiting: [Int: Continuation] = [:]
    var phase = Phase.open
  }

  private enum Phase {
    case open
    /// The turn is cancelled, possibly because of a cap: it sends and receives nothing more.
    case cancelled(cap: String?)
    case over
  }

  let turn: Int
  private let send: @Sendable (FromWorker) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - turn: The turn's number, which is that of an earlier one when the baton has come back.
  ///   - previous: The requests of the worker's previous turn, whose numbers are not used again.
  ///   - send: Sends a message to the coordinator.
  init(
    turn: Int,
    after previous: TurnRequests? = nil,
    send: @escaping @Sendable (FromWorker) -> Void
  ) {
    self.turn = turn
    self.send = send
    state = Mutex(State(lastID: previous?.state.withLock { $0.lastID } ?? 0))
  }

  /// Sends a request and waits for its reply.
  ///
  /// - Throws: `CancellationError` if the turn is cancelled or over; `WireBreach` for a reply to
  ///   another kind of request.
  func ask<Reply>(_ request: HostRequest<Reply>) async throws -> Reply {
    let reply = try await withCheckedThrowingContinuation { continuation in
      let id: Int? = state.withLock { state in
        guard case .open = state.phase else { return nil }
        state.lastID += 1
        state.waiting[state.lastID] = continuation
        return state.lastID
      }
      if let id {
        send(.request(id: id, turn: turn, request.message))
      } else {
        continuation.resume(throwing: CancellationError())
      }
    }
    guard let answer = reply.answer as? Reply else {
      throw WireBreach.outOfTurn("a reply of another kind")
    }
    return answer
  }

  /// Delivers a reply; one that comes after the end of its request is dropped.
  func receive(_ reply: WorkerReply, to id: Int) {
    let continuation: Continuation? = state.withLock { state in
      guard case .open = state.phase else { return nil }
      return state.waiting.removeValue(forKey: id)
    }
    continuation?.resume(returning: reply)
  }

  /// Refuses requests and drops replies from now on; `end` then ends what waits.
  ///
  /// For the thread that delivers replies: the coordinator may send one, such as a denial, because
  /// it cancels the turn.
  ///
  /// - Parameter cap: The cap for which the turn is cancelled.
  func cancel(cap: String?) {
    state.withLock { state in
      if case .open = state.phase { state.phase = .cancelled(cap: cap) }
    }
  }

  /// Ends the requests that wait, of a turn that is cancelled or over, and refuses further ones.
  func end() {
    let waiting = state.withLock { state in
      if case .open = state.phase { state.phase = .over }
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(throwing: CancellationError()) }
  }

  /// The cap for which the turn was cancelled.
  var cap: String? {
    state.withLock { if case .cancelled(let cap) = $0.phase { cap } else { nil } }
  }
}
