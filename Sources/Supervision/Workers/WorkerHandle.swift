package import Wire

/// One life of a worker: what it sends arrives as events, the last of which is its end.
package final class Worker: Sendable {
  package let run: RunID
  package let pid: Int32
  /// The path of its log.
  package let log: String
  /// Everything the worker sends, in order, and then its death.
  ///
  /// Has a single reader.
  package var events: AsyncStream<WorkerEvent> { line.events }

  private let pump: Pump
  private let line: WorkerLine

  init(run: RunID, pid: Int32, log: String, pump: Pump, line: WorkerLine) {
    self.run = run
    self.pid = pid
    self.log = log
    self.pump = pump
    self.line = line
  }

  /// Sends a message to the worker.
  ///
  /// A worker that is gone does not receive it; its end arrives as an event.
  package func send(_ message: ToWorker) throws {
    // Its number may belong to another process by now.
    guard !hasEnded else { return }
    // A single write, so that the pieces of two messages cannot mix.
    pump.write(try MessageEncoder().frames(of: message).flatMap(\.bytes), to: pid)
  }

  /// Kills the worker for a reason that its exit status will not tell.
  package func condemn(_ cause: Death.Cause) {
    if line.condemn(cause) { pump.signal(9, to: pid) }
  }

  /// Pings the worker, or kills it because it has not answered; called once per heartbeat.
  ///
  /// - Parameter isHeard: Whether what it sent since the last heartbeat was read.
  func attend(_ patience: Roster.Patience, heartbeat: Int, isHeard: Bool) {
    switch line.judge(patience, isHeard: isHeard) {
    case .wait: break
    case .ask: try? send(.ping(heartbeat))
    case .condemn(let cause): condemn(cause)
    }
  }

  /// Ends the worker step by step and returns once it has ended.
  package func end(by ladder: Ladder) async {
    for rung in ladder.rungs {
      if line.hasEnded { return }
      switch rung.step {
      case .shutdown: try? send(.shutdown)
      case .closeInput: pump.closeInput(of: pid)
      case .terminate: pump.signal(15, to: pid)
      case .kill:
        line.noteKill()
        pump.signal(9, to: pid)
      }
      if await line.waitForEnd(rung.patience) { return }
    }
  }

  package var hasEnded: Bool { line.hasEnded }

  /// Whether it has rehearsed what it was started for ahead of need.
  var hasRehearsed: Bool { line.hasRehearsed }
}
