import Supervision
import Wire

/// The logs of templates and spares, whose ends no outpost reports.
struct StandbyLogs: Sendable {
  /// The most logs that are open.
  static let maximum = 64
  /// How long a log has not been written to when it may be closed for another.
  static let idleTime = Duration.seconds(300)
  /// The most runs of which it is known that their logs were closed.
  private static let maximumClosed = 1024

  private struct OpenLog: Sendable {
    let run: RunID
    let log: WorkerLog
    let lastWrite: ContinuousClock.Instant
  }

  /// The one that was written to last is the last.
  private var open: [OpenLog] = []
  /// The runs whose logs were closed, the last one last.
  private var closed: [RunID] = []

  var all: [WorkerLog] { open.map(\.log) }

  /// Whether the run has written a log here.
  func has(_ run: RunID) -> Bool { closed.contains(run) || open.contains { $0.run == run } }

  /// Returns the log to be written to.
  mutating func log(of run: RunID, at now: ContinuousClock.Instant) -> WorkerLog? {
    guard let log = remove(run) else { return nil }
    open.append(OpenLog(run: run, log: log, lastWrite: now))
    return log
  }

  /// Makes room for one more log.
  ///
  /// - Returns: Whether there is room, and the run whose log was closed for it.
  mutating func makeRoom(at now: ContinuousClock.Instant) -> (hasRoom: Bool, closed: RunID?) {
    guard open.count >= Self.maximum else { return (true, nil) }
    guard let oldest = open.first, now - oldest.lastWrite >= Self.idleTime else {
      return (false, nil)
    }
    open.removeFirst()
    oldest.log.close()
    closed = closed.suffix(Self.maximumClosed - 1) + [oldest.run]
    return (true, oldest.run)
  }

  mutating func add(_ log: WorkerLog, of run: RunID, at now: ContinuousClock.Instant) {
    open.append(OpenLog(run: run, log: log, lastWrite: now))
  }

  mutating func remove(_ run: RunID) -> WorkerLog? {
    open.firstIndex { $0.run == run }.map { open.remove(at: $0).log }
  }
}
