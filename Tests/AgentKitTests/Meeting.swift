import Synchronization

/// A meeting point at which tasks wait for each other until all have arrived.
///
/// Waiting ends when the waiting task is cancelled, so a test whose tasks never meet also ends.
final class Meeting: Sendable {
  private struct State {
    var missing: Int
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let state: Mutex<State>

  init(of count: Int) {
    state = Mutex(State(missing: count))
  }

  /// Arrives, and waits for the others.
  func join() async {
    come()
    await wait()
  }

  /// Arrives without waiting.
  func come() {
    state.withLock { state in
      state.missing -= 1
      if state.missing <= 0 { state.waiting.forEach { $0.finish() } }
    }
  }

  /// Waits for all tasks without being one of them.
  func wait() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    state.withLock { state in
      if state.missing <= 0 { continuation.finish() } else { state.waiting.append(continuation) }
    }
    for await _ in stream {}
  }
}
