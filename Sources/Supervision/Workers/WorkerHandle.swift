package import Wire

/// A started worker: what it sends arrives as events, the last of which is its end.
package final class WorkerHandle: Sendable {
  package let run: RunID
  package let pid: Int32
  /// The path of its log.
  package let log: String
  /// Everything the worker sends, in order, and then its death.
  ///
  /// Has a single reader.
  package var events: AsyncStream<WorkerEvent> { connection.events }

  private let eventLoop: ChildEventLoop
  private let connection: WorkerConnection

  init(
    run: RunID,
    pid: Int32,
    log: String,
    eventLoop: ChildEventLoop,
    connection: WorkerConnection
  ) {
    self.run = run
    self.pid = pid
    self.log = log
    self.eventLoop = eventLoop
    self.connection = connection
  }

  /// Sends a message to the worker.
  ///
  /// A worker that is gone does not receive it; its end arrives as an event.
  package func send(_ message: ToWorker) throws {
    // Its number may belong to another process by now.
    guard !hasEnded else { return }
    // A single write, so that the pieces of two messages cannot mix.
    eventLoop.write(try MessageEncoder().frames(of: message).flatMap(\.bytes), to: pid)
  }

  /// Passes on frames of messages that another process has sent for the worker.
  ///
  /// Between the pieces of one only control frames may come, and that is all that this process sends
  /// after the first message.
  package func forward(_ bytes: [UInt8]) {
    guard !hasEnded else { return }
    eventLoop.write(bytes, to: pid)
  }

  /// Kills the worker for a reason that its exit status does not show.
  package func terminate(reason: Death.Cause) {
    if connection.terminate(reason: reason) { eventLoop.signal(9, to: pid) }
  }

  /// Pings the worker, or kills it because it has not answered; called once per heartbeat.
  ///
  /// - Parameter isRead: Whether what it sent since the last heartbeat was read.
  func ping(_ number: Int, _ timeouts: Roster.Timeouts, isRead: Bool) {
    switch connection.evaluate(timeouts, isRead: isRead) {
    case .wait: break
    case .ping: try? send(.ping(number))
    case .terminate(let reason): terminate(reason: reason)
    }
  }

  /// Ends the worker step by step and returns once it has ended.
  package func end(by ladder: Ladder) async {
    for rung in ladder.rungs {
      if hasEnded { return }
      switch rung.step {
      case .shutdown: try? send(.shutdown)
      case .closeInput: eventLoop.closeInput(of: pid)
      case .terminate: eventLoop.signal(15, to: pid)
      case .kill:
        connection.recordKill()
        eventLoop.signal(9, to: pid)
      }
      if await connection.waitForEnd(rung.timeout) { return }
    }
  }

  package var hasEnded: Bool { connection.hasEnded }

  /// How far it has come with work that takes long; `nil` when there is none.
  package var progress: WorkProgress? { connection.progress }

  /// The longest that a worker may take to show its prompt; it may be loading or be stopped.
  private static let promptPatience = Duration.seconds(5)

  /// Returns the prompt of its latest request as its model was given it.
  ///
  /// It answers beside its work, which goes on.
  /// - Returns: `nil` when there is none, or no answer in time.
  func prompt() async -> RenderedPrompt? {
    await connection.prompts.ask(patience: Self.promptPatience) { try send(.showPrompt(id: $0)) }
  }

  /// Whether it has rehearsed what it was started for ahead of need.
  var hasRehearsed: Bool { connection.hasRehearsed }
}
