import Coordination
import Supervision
import Synchronization
import Wire

/// The cores of a stage, and who had them when.
final class TracedCores: CoreSharing {
  struct Trace: Sendable {
    var holders: Set<RunID> { Set(used.keys) }
    /// How many cores each may be using: what it was told before counts until it has heard of less.
    var used: [RunID: Int] = [:]
    /// The most processes that computed at the same time.
    var crowd = 0
    /// The most cores that were computed on at the same time.
    var peak = 0
    /// Who was given a core, in order.
    var grants: [RunID] = []
    /// Whose core was called back, in order.
    var calledBack: [RunID] = []
  }

  private struct State {
    var trace = Trace()
    var told: [RunID: CoreGrant] = [:]
    var waiters: [(condition: @Sendable (Trace) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  let cores: Cores
  private let state = Mutex(State())

  init(_ count: Int) {
    cores = Cores(count)
  }

  var trace: Trace { state.withLock { $0.trace } }

  /// Waits until it has come to something, or the time of the test is over.
  func reach(_ condition: @escaping @Sendable (Trace) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.trace) || Task.isCancelled { return true }
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

  /// Takes a core for the test itself; returns when it is there.
  func take(as name: String) async {
    await withCheckedContinuation { continuation in
      ask(RunID(name), request: 1, isAhead: false) { [cores] message in
        guard case .cores(let grant) = message else { return }
        if grant.number == 1 { continuation.resume() }
        // It computes nothing, and so leaves at once what it is told to leave.
        cores.adopt(RunID(name), grant: grant.number)
      }
    }
  }

  func ask(
    _ run: RunID,
    request: Int,
    isAhead: Bool,
    tell: @escaping @Sendable (ToWorker) -> Void
  ) {
    cores.ask(run, request: request, isAhead: isAhead) { message in
      self.note { state in
        guard case .cores(let grant) = message else {
          return state.trace.calledBack.append(run)
        }
        if state.trace.used[run] == nil { state.trace.grants.append(run) }
        state.told[run] = grant
        state.trace.used[run] = max(state.trace.used[run] ?? 0, grant.count)
        state.trace.crowd = max(state.trace.crowd, state.trace.used.count)
        state.trace.peak = max(state.trace.peak, state.trace.used.values.reduce(0, +))
      }
      tell(message)
    }
  }

  func adopt(_ run: RunID, grant number: Int) {
    note { state in
      guard let told = state.told[run], told.number == number else { return }
      if state.trace.used[run] != nil { state.trace.used[run] = told.count }
    }
    cores.adopt(run, grant: number)
  }

  func giveBack(_ run: RunID) {
    note { $0.trace.used[run] = nil }
    cores.giveBack(run)
  }

  func raise(_ run: RunID) { cores.raise(run) }

  var isIdle: Bool { cores.isIdle }

  // The machine that a test runs on is not the one that it plays.
  func resize(to count: Int) {}

  private func note(_ body: (inout State) -> Void) {
    let met = state.withLock { state in
      body(&state)
      let trace = state.trace
      let met = state.waiters.filter { $0.condition(trace) }
      state.waiters.removeAll { $0.condition(trace) }
      return met
    }
    for waiter in met { waiter.1.resume() }
  }
}
