import Dispatch
import Specimens
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A heartbeat` {
  private static let patience = Roster.Patience(silence: .seconds(4), heartbeat: .seconds(2))

  @Test func `blames no worker for what its pump has not read`() async throws {
    let pump = try Pump()
    let heartbeat = Heartbeat(pump: pump, patience: Self.patience)
    let worker = try await Self.worker("exec cat", of: pump)
    let (held, free) = (Gate(), DispatchSemaphore(value: 0))
    let other = Self.shell("echo busy; exec sleep 600")
    _ = try await pump.launch(other) { event in
      guard case .output = event else { return .goOn }
      held.open()
      // Like a disk that blocks a writer.
      _ = free.wait(timeout: .now() + 30)
      return .kill
    }
    #expect(await held.wait(.seconds(30)))
    for _ in 0..<20 { heartbeat.beat(on: [worker]) }
    free.signal()
    // It ends by itself and was not condemned before.
    pump.closeInput(of: worker.pid)
    #expect(await Self.cause(worker) == .exited(code: 0))
  }

  @Test func `condemns a worker that says nothing while its pump reads`() async throws {
    let pump = try Pump()
    let heartbeat = Heartbeat(pump: pump, patience: Self.patience)
    let worker = try await Self.worker("exec sleep 600", of: pump)
    try await eventually("the silent worker is gone") {
      heartbeat.beat(on: [worker])
      return worker.hasEnded
    }
    #expect(await Self.cause(worker) == .hung(seconds: 4))
  }

  private static func shell(_ script: String) -> Launch {
    Launch(executable: "/bin/sh", arguments: ["-c", script], environment: [:])
  }

  /// Starts a stand-in for a serving worker, which prints anything once it is running.
  private static func worker(_ script: String, of pump: Pump) async throws -> Worker {
    let line = WorkerLine(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    _ = line.take(.output(WireLimits.preamble + start))
    let pid = try await pump.launch(shell(script)) { event in
      guard case .output = event else { return line.take(event) }
      return line.take(.output(Said.bytes(.pong(1))))
    }
    return Worker(run: RunID("r"), pid: pid, log: "/dev/null", pump: pump, line: line)
  }

  private static func cause(_ worker: Worker) async -> Death.Cause? {
    for await case .ended(let death) in worker.events { return death.cause }
    return nil
  }
}
