import Coordination
import Supervision
import Wire

/// The cores of a stage, and who had them when.
final class TracedCores: CoreArbiter {
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
    /// How often the roster has looked after its workers: it says then how many cores there are.
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

  /// Waits until it has come to something, or the time of the test is over.
  func reach(_ condition: @escaping @Sendable (Trace) -> Bool) async {
    await state.reach { condition($0.trace) }
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

  // The machine that a test runs on is not the one that it plays.
  func resize(to count: Int) { state.change { $0.trace.heartbeats += 1 } }
}
