import Coordination
import Supervision
import Synchronization
import Wire

/// The cores of a stage, and who had them when.
final class TracedCores: CoreSharing {
  struct Trace: Sendable {
    var holders: Set<RunID> = []
    /// The most that computed at the same time.
    var peak = 0
    /// Who was given a core, in order.
    var grants: [RunID] = []
    /// Whose core was called back, in order.
    var calledBack: [RunID] = []
  }

  private struct State {
    var trace = Trace()
    var waiters: [(condition: @Sendable (Trace) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  let cores: Cores
  private let state = Mutex(State())

  init(_ count: Int) {
    cores = Cores(count)
  }

  var trace: Trace { state.withLock { $0.trace } }

  /// Waits until it has come to something.
  func reach(_ condition: @escaping @Sendable (Trace) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isMet = state.withLock { state in
        if condition(state.trace) { return true }
        state.waiters.append((condition, continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }

  /// Takes a core for the test itself; returns when it is there.
  func take(as name: String) async {
    await withCheckedContinuation { continuation in
      ask(RunID(name), request: 1, isAhead: false) { _ in continuation.resume() }
    }
  }

  func ask(
    _ run: RunID,
    request: Int,
    isAhead: Bool,
    tell: @escaping @Sendable (ToWorker) -> Void
  ) {
    cores.ask(run, request: request, isAhead: isAhead) { message in
      self.note { trace in
        if case .yieldCore = message {
          trace.calledBack.append(run)
        } else {
          trace.holders.insert(run)
          trace.grants.append(run)
          trace.peak = max(trace.peak, trace.holders.count)
        }
      }
      tell(message)
    }
  }

  func giveBack(_ run: RunID) {
    note { _ = $0.holders.remove(run) }
    cores.giveBack(run)
  }

  func raise(_ run: RunID) { cores.raise(run) }

  // The machine that a test runs on is not the one that it plays.
  func resize(to count: Int) {}

  private func note(_ body: (inout Trace) -> Void) {
    let met = state.withLock { state in
      body(&state.trace)
      let trace = state.trace
      let met = state.waiters.filter { $0.condition(trace) }
      state.waiters.removeAll { $0.condition(trace) }
      return met
    }
    for waiter in met { waiter.1.resume() }
  }
}
