import Coordination
import Supervision
import Wire

/// The cores of a stage, with a trace of who had them when.
final class TracedCores: CoreArbiter {
  struct Trace: Sendable {
    var holders: Set<RunID> { Set(used.keys) }
    /// The cores each run may be using; a reduction counts only after the run has learned of it.
    var used: [RunID: Int] = [:]
    /// The most processes that computed at the same time.
    var crowd = 0
    /// The most cores that were in use at the same time.
    var peak = 0
    /// The runs that were granted a core, in order.
    var grants: [RunID] = []
    /// The runs whose core was called back, in order.
    var calledBack: [RunID] = []
    /// How often the roster has checked its workers, when it also reports the number of cores.
    var heartbeats = 0
  }

  private struct State: Sendable {
    var trace = Trace()
    var told: [RunID: CoreGrant] = [:]
  }

  let cores: Cores
  private let state = Changing(State())

  init(_ count: Int) {
    cores = Cores(count)
  }

  var trace: Trace { state.value.trace }

  /// Waits until the trace meets a condition or the test is cancelled.
  func reach(_ condition: @escaping @Sendable (Trace) -> Bool) async {
    await state.reach { condition($0.trace) }
  }

  /// Takes a core for the test itself and returns once it is granted.
  func take(as name: String) async {
    await withCheckedContinuation { continuation in
      ask(RunID(name), request: 1, isAhead: false) { [cores] message in
        guard case .cores(let grant) = message else { return }
        if grant.number == 1 { continuation.resume() }
        // It computes nothing and so gives up cores as soon as it is told to.
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
      self.state.change { state in
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
    state.change { state in
      guard let told = state.told[run], told.number == number else { return }
      if state.trace.used[run] != nil { state.trace.used[run] = told.count }
    }
    cores.adopt(run, grant: number)
  }

  func giveBack(_ run: RunID) {
    state.change { $0.trace.used[run] = nil }
    cores.giveBack(run)
  }

  func raise(_ run: RunID) { cores.raise(run) }

  var isIdle: Bool { cores.isIdle }

  // The number of cores is the test's, not that of the machine it runs on.
  func resize(to count: Int) { state.change { $0.trace.heartbeats += 1 } }
}
