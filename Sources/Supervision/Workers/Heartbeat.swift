import Synchronization

/// Pings workers periodically and kills those that do not answer.
///
/// While the pump's thread is held up, by a stalled disk or a slow program start, answers lie
/// unread in the pipes, which is no silence of the workers. So a heartbeat counts only when the
/// pump has visited all of them since the last one that counted.
final class Heartbeat: Sendable {
  private struct State {
    var count = 0
    /// Whether the pump has yet to read what was sent before the last heartbeat that counted.
    var isPumpBehind = false
  }

  private let pump: Pump
  private let patience: Roster.Patience
  private let state = Mutex(State())

  init(pump: Pump, patience: Roster.Patience) {
    self.pump = pump
    self.patience = patience
  }

  /// Pings the given workers; called once per heartbeat interval.
  func beat(on workers: [Worker]) {
    let (number, isHeard) = state.withLock { state in
      let isHeard = !state.isPumpBehind
      state.count += 1
      state.isPumpBehind = true
      return (state.count, isHeard)
    }
    if isHeard {
      pump.goRound { [self] in state.withLock { $0.isPumpBehind = false } }
    }
    for worker in workers { worker.attend(patience, heartbeat: number, isHeard: isHeard) }
  }
}
