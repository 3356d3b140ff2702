package import Supervision
package import Wire

/// A worker on another machine: what it sends arrives as events, the last of which is its end.
package final class OutpostWorker: Sendable {
  package let run: RunID
  /// Its number on its own machine.
  package let pid: Int32
  /// The path of its log, here.
  package let log: String
  package let host: String
  /// Everything the worker sends, in order, and then its death; for a single reader.
  package let events: AsyncStream<WorkerEvent>

  init(run: RunID, pid: Int32, log: String, host: String, events: AsyncStream<WorkerEvent>) {
    self.run = run
    self.pid = pid
    self.log = log
    self.host = host
    self.events = events
  }

  /// The memory of the worker in bytes as its outpost has reported it last; `nil` before.
  package var memory: Int? { nil }

  package var hasEnded: Bool { true }

  package func send(_ message: ToWorker) throws {}

  /// Kills the worker for a reason that its exit status does not show.
  package func terminate(reason: Death.Cause) {}

  /// Ends the worker step by step and returns once it has ended, or is known to end by itself.
  package func end(by ladder: Ladder) async {}
}
