import Synchronization
package import Wire

/// One life of a worker: what it says comes as events, the last of which is its end.
package final class Worker: Sendable {
  package let run: RunID
  package let pid: Int32
  /// Everything that the worker says, in order, then its death.
  ///
  /// Read by one reader.
  package let events: AsyncStream<WorkerEvent>

  private let pump: Pump
  private let line: WorkerLine

  init(run: RunID, pid: Int32, pump: Pump, line: WorkerLine, events: AsyncStream<WorkerEvent>) {
    self.run = run
    self.pid = pid
    self.pump = pump
    self.line = line
    self.events = events
  }

  /// Says something to the worker.
  ///
  /// One that is gone does not hear it; its end comes as an event.
  package func send(_ message: ToWorker) throws {
    for frame in try MessageEncoder().frames(of: message) { pump.write(frame.bytes, to: pid) }
  }

  /// Kills the worker for a reason that its exit status will not tell.
  package func condemn(_ cause: Death.Cause) {
    if line.condemn(cause) { pump.signal(9, to: pid) }
  }

  /// Ends the worker step by step, and returns when it has ended.
  package func end(by ladder: Ladder) async {
    for rung in ladder.rungs {
      if line.hasEnded { return }
      switch rung.step {
      case .shutdown: try? send(.shutdown)
      case .closeInput: pump.closeInput(of: pid)
      case .terminate: pump.signal(15, to: pid)
      case .kill: pump.signal(9, to: pid)
      }
      if await line.waitForEnd(rung.patience) { return }
    }
  }

  package var hasEnded: Bool { line.hasEnded }

  /// How long ago the worker was last heard of.
  var silence: Duration { line.silence }
}

/// The coordinator's end of one worker's pipes.
final class WorkerLine: Sendable {
  private struct State {
    var life = WorkerLife()
    var heard = ContinuousClock.now
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<WorkerEvent>.Continuation
  private let log: WorkerLog
  private let gone = Gate()

  init(log: WorkerLog, continuation: AsyncStream<WorkerEvent>.Continuation) {
    self.log = log
    self.continuation = continuation
  }

  /// Takes what the pump reports.
  func take(_ event: ChildEvent) -> ChildReaction {
    switch event {
    case .error(let bytes):
      log.append(bytes)
      return .goOn
    case .output(let bytes):
      let reading = state.withLock { state in
        state.heard = .now
        return state.life.read(bytes)
      }
      if !reading.banner.isEmpty { log.append(reading.banner) }
      for message in reading.messages { continuation.yield(.message(message)) }
      return reading.breach == nil ? .goOn : .kill
    case .exited(let status):
      let cause = state.withLock { $0.life.end(status) }
      continuation.yield(.ended(Death(cause: cause, lastLines: log.lastLines(20))))
      continuation.finish()
      gone.open()
      return .goOn
    }
  }

  func condemn(_ cause: Death.Cause) -> Bool { state.withLock { $0.life.condemn(cause) } }

  var hasEnded: Bool { state.withLock { $0.life.state == .ended } }

  var isLoading: Bool {
    state.withLock { state in
      switch state.life.state {
      case .silent, .greeting, .loading: true
      case .ready, .leaving, .condemned, .ended: false
      }
    }
  }

  var silence: Duration { state.withLock { .now - $0.heard } }

  /// Waits for the end, for so long at most; returns whether it came.
  func waitForEnd(_ patience: Duration) async -> Bool { await gone.wait(patience) }
}
