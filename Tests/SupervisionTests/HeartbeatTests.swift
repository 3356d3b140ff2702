import Dispatch
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A heartbeat` {
  private static let timeouts = Roster.Timeouts(silence: .seconds(4), heartbeat: .seconds(2))

  @Test func `does not count while the event loop has unread output`() async throws {
    let eventLoop = try ChildEventLoop()
    let heartbeat = Heartbeat(eventLoop: eventLoop, timeouts: Self.timeouts)
    let worker = try await Self.worker("exec cat", of: eventLoop)
    let (held, free) = (Latch(), DispatchSemaphore(value: 0))
    let other = Self.shell("echo busy; exec sleep 600")
    _ = try await eventLoop.launch(other) { event in
      guard case .output = event else { return .goOn }
      held.open()
      // Like a disk that blocks a writer.
      _ = free.wait(timeout: .now() + 30)
      return .kill
    }
    #expect(await held.wait(.seconds(30)))
    for _ in 0..<20 { heartbeat.ping([worker]) }
    free.signal()
    // It ends by itself and was not killed before.
    eventLoop.closeInput(of: worker.pid)
    #expect(await Self.cause(worker) == .exited(code: 0))
  }

  @Test func `terminates a silent worker while the event loop reads`() async throws {
    let eventLoop = try ChildEventLoop()
    let heartbeat = Heartbeat(eventLoop: eventLoop, timeouts: Self.timeouts)
    let worker = try await Self.worker("exec sleep 600", of: eventLoop)
    try await eventually("the silent worker is gone") {
      heartbeat.ping([worker])
      return worker.hasEnded
    }
    #expect(await Self.cause(worker) == .hung(seconds: 4))
  }

  private static func shell(_ script: String) -> Launch {
    Launch(executable: "/bin/sh", arguments: ["-c", script], environment: [:])
  }

  /// Starts a stand-in for a serving worker, which prints anything once it is running.
  private static func worker(_ script: String, of eventLoop: ChildEventLoop) async throws
    -> WorkerHandle
  {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    _ = connection.handle(.output(WireLimits.preamble + start))
    let pid = try await eventLoop.launch(shell(script)) { event in
      guard case .output = event else { return connection.handle(event) }
      return connection.handle(.output(Said.bytes(.pong(1))))
    }
    return WorkerHandle(
      run: RunID("r"),
      pid: pid,
      log: "/dev/null",
      eventLoop: eventLoop,
      connection: connection
    )
  }

  private static func cause(_ worker: WorkerHandle) async -> Death.Cause? {
    for await case .ended(let death) in worker.events { return death.cause }
    return nil
  }
}
