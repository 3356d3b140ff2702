import Synchronization

/// Pings workers periodically and kills those that do not answer.
///
/// While the event loop is held up, by a stalled disk or a slow program start, answers lie unread
/// in the pipes. So a heartbeat counts only when the event loop has read all pipes since the last
/// one that counted.
final class Heartbeat: Sendable {
  private struct State {
    var count = 0
    /// Whether the event loop has yet to read what was sent before the last heartbeat that counted.
    var isReading = false
  }

  private let eventLoop: ChildEventLoop
  private let timeouts: Roster.Timeouts
  private let state = Mutex(State())

  init(eventLoop: ChildEventLoop, timeouts: Roster.Timeouts) {
    self.eventLoop = eventLoop
    self.timeouts = timeouts
  }

  /// Pings the given workers; called once per heartbeat interval.
  func ping(_ workers: [WorkerHandle]) {
    let (number, isRead) = state.withLock { state in
      let isRead = !state.isReading
      state.count += 1
      state.isReading = true
      return (state.count, isRead)
    }
    if isRead {
      eventLoop.afterNextRead { [self] in state.withLock { $0.isReading = false } }
    }
    for worker in workers { worker.ping(number, timeouts, isRead: isRead) }
  }
}
