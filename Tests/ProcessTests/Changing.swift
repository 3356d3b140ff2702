import Synchronization

/// A value that changes and can be awaited.
final class Changing<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var waiters: [(condition: @Sendable (Value) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value { state.withLock { $0.value } }

  func change(_ body: (inout Value) -> Void) {
    let met = state.withLock { state in
      body(&state.value)
      let value = state.value
      let met = state.waiters.filter { $0.condition(value) }
      state.waiters.removeAll { $0.condition(value) }
      return met
    }
    for waiter in met { waiter.1.resume() }
  }

  /// Waits until the value meets a condition or the test is cancelled.
  func reach(_ condition: @escaping @Sendable (Value) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.value) || Task.isCancelled { return true }
          state.waiters.append((condition, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.1.resume() }
    }
  }
}
