import Synchronization

/// Asks workers again and again whether they are there, and kills those that do not answer.
///
/// While the pump's thread is held up, by a disk that stalls or by a program that is long to start,
/// answers lie in the pipes where nobody reads them: that is no silence of the workers'. So a
/// heartbeat counts only when the pump has gone round all of them since the one that counted before.
final class Heartbeat: Sendable {
  private struct State {
    var count = 0
    /// Whether the pump has yet to read what was said before the last heartbeat that counted.
    var isPumpBehind = false
  }

  private let pump: Pump
  private let patience: Roster.Patience
  private let state = Mutex(State())

  init(pump: Pump, patience: Roster.Patience) {
    self.pump = pump
    self.patience = patience
  }

  /// Called once a heartbeat.
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
