import Synchronization

/// The prompts that wait for the one before them.
final class TurnQueue: Sendable {
  static let maximum = 16

  fileprivate typealias Waiter = CheckedContinuation<Void, any Error>

  fileprivate struct State {
    var isBusy = false
    var lastTicket = 0
    var waiting: [(ticket: Int, continuation: Waiter)] = []
  }

  private let state = Mutex(State())

  /// Whether a prompt is being answered.
  var isBusy: Bool { state.withLock { $0.isBusy } }

  /// How many prompts wait.
  var count: Int { state.withLock { $0.waiting.count } }

  /// Waits for a place at the head of the queue; on success, the caller has to leave the queue.
  /// - Throws: `ConversationError` when too many wait; `CancellationError` when the caller gave up.
  func enter() async throws {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.enter(ticket, continuation) }
      }
    } onCancel: {
      state.withLock { $0.giveUp(ticket) }
    }
  }

  /// Leaves the head of the queue to the next.
  func leave() { state.withLock { $0.leave() } }
}

extension TurnQueue.State {
  fileprivate mutating func enter(_ ticket: Int, _ continuation: TurnQueue.Waiter) {
    guard isBusy else {
      isBusy = true
      return continuation.resume()
    }
    guard waiting.count < TurnQueue.maximum else {
      return continuation.resume(throwing: ConversationError.tooManyWaiting(TurnQueue.maximum))
    }
    // The handler of a cancellation that came before this has found nothing to give up.
    guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
    waiting.append((ticket, continuation))
  }

  fileprivate mutating func giveUp(_ ticket: Int) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  fileprivate mutating func leave() {
    guard !waiting.isEmpty else {
      isBusy = false
      return
    }
    waiting.removeFirst().continuation.resume()
  }
}
