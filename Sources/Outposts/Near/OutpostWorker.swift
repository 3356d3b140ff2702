package import Supervision
import Synchronization
package import Wire

/// A worker on another machine: what it sends arrives as events, the last of which is its end.
package final class OutpostWorker: Sendable {
  package let run: RunID
  /// Its number on its own machine.
  package let pid: Int32
  /// The path of its log, here.
  package let log: String
  package let host: String?
  /// Everything the worker sends, in order, and then its death.
  ///
  /// Has a single reader.
  package var events: AsyncStream<WorkerEvent> { connection.events }

  private let sender: ChannelSender
  private let connection: WorkerConnection
  private let effects: Effects

  init(run: RunID, pid: Int32, path: String, log: WorkerLog, host: String, sender: ChannelSender) {
    let effects = Effects()
    self.run = run
    self.pid = pid
    self.log = path
    self.host = host
    self.sender = sender
    self.effects = effects
    connection = WorkerConnection(distant: log) { effects.note($0) }
  }

  private var lane: ChannelFrame.Lane { ChannelFrame.Lane(run) }

  /// The memory of the worker in bytes, as its outpost has reported it last; `nil` before.
  package var memory: Int? { effects.memory }

  /// How far it has come with work that takes long; `nil` when there is none.
  package var progress: WorkProgress? { connection.progress }

  package var hasEnded: Bool { connection.hasEnded }

  /// Sends a message to the worker.
  ///
  /// A worker that is gone does not receive it; its end arrives as an event.
  package func send(_ message: ToWorker) throws {
    guard !hasEnded else { return }
    let frames = try MessageEncoder().frames(of: message)
    effects.note(message)
    sender.send(frames, stream: .worker, lane: lane)
  }

  /// Kills the worker for a reason that its exit status does not show.
  package func terminate(reason: Death.Cause) {
    if connection.terminate(reason: reason) { sender.send(ToOutpost.end(run, atOnce: true)) }
  }

  /// Ends the worker step by step, all but the first on its own machine, and returns once it has
  /// ended or its end can no longer be waited for.
  package func end(by ladder: Ladder) async {
    guard !hasEnded else { return }
    let isKill = ladder.rungs.first?.step == .kill
    sender.send(ToOutpost.end(run, atOnce: isKill))
    let patience = ladder.rungs.reduce(Duration.zero) { $0 + $1.timeout }
    if await connection.waitForEnd(patience) || isKill { return }
    sender.send(ToOutpost.end(run, atOnce: true))
    _ = await connection.waitForEnd(.seconds(1))
  }

  // MARK: For its link

  /// Takes a frame of what the worker sends.
  func take(_ frame: Frame) {
    if connection.handle(.output(frame.bytes)) == .kill {
      sender.send(ToOutpost.end(run, atOnce: true))
    }
  }

  func takeLog(_ bytes: [UInt8]) { _ = connection.handle(.error(bytes)) }

  func note(memory: Int?) { effects.note(memory: memory) }

  func end(_ death: Death) { connection.handleEnd(death) }

  /// Whether it may be running tools, whose effects must not be brought about twice.
  var mayAct: Bool { effects.mayAct }
}

/// Whether a worker may be running tools.
///
/// It runs them once their calls are recorded, or at the beginning of a turn that goes on with calls;
/// when it asks to make a request of its model, all have an output.
private final class Effects: Sendable {
  private struct State {
    var mayAct = false
    var memory: Int?
  }

  private let state = Mutex(State())

  var mayAct: Bool { state.withLock { $0.mayAct } }
  var memory: Int? { state.withLock { $0.memory } }

  func note(memory: Int?) { state.withLock { $0.memory = memory ?? $0.memory } }

  func note(_ message: ToWorker) {
    switch message {
    case .turn, .reply(_, .recorded): state.withLock { $0.mayAct = true }
    default: break
    }
  }

  func note(_ message: FromWorker) {
    switch message {
    case .request(_, _, .admission), .ended: state.withLock { $0.mayAct = false }
    default: break
    }
  }
}
