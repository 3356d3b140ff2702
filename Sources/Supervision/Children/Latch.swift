import Synchronization

/// An event that happens once and can be waited for with a timeout.
package final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var isOpen: Bool { state.withLock(\.isOpen) }

  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters.values.map { $0 }
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Waits for the latch to open, for at most the given time.
  ///
  /// - Returns: Whether it opened.
  package func wait(_ timeout: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let waiter = state.withLock { state -> Int? in
        if state.isOpen { return nil }
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = continuation
        return state.lastWaiter
      }
      guard let waiter else {
        continuation.resume(returning: true)
        return
      }
      // Unstructured because the waiter itself is suspended; the task ends with the timeout.
      Task {
        // While the machine sleeps, so does what would open the latch.
        try? await Task.sleep(for: timeout, clock: .suspending)
        let expired = state.withLock { $0.waiters.removeValue(forKey: waiter) }
        expired?.resume(returning: false)
      }
    }
  }
}
