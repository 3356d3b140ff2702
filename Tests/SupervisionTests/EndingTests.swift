import Foundation
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `Ending a worker` {
  @Test func `begins kindly and always comes to the kill`() {
    #expect(Ladder.retire.rungs.map(\.step) == [.shutdown, .closeInput, .terminate, .kill])
    #expect(Ladder.leave.rungs.map(\.step) == [.shutdown, .closeInput, .kill])
    #expect(Ladder.kill.rungs.map(\.step) == [.kill])
  }

  @Test func `takes no longer than a service may take to stop`() throws {
    let seconds = try #require(try Repository.setting("TimeoutStopSec"))
    for ladder in [Ladder.retire, .leave, .kill] {
      let whole = ladder.rungs.reduce(Duration.zero) { $0 + $1.timeout }
      // The journal is closed afterwards.
      #expect(whole + .seconds(5) < .seconds(seconds))
    }
  }

  @Test func `stops at the rung that ended it`() async throws {
    let worker = try await start("echo ready >&2; exec cat >/dev/null")
    await worker.end(by: ladder([.shutdown, .closeInput, .kill], works: .closeInput))
    #expect(worker.hasEnded)
    #expect(await cause(worker) == .exited(code: 0))
  }

  @Test func `terminates one that does not notice the end of its lifeline`() async throws {
    let worker = try await start("echo ready >&2; exec sleep 600")
    await worker.end(by: ladder([.closeInput, .terminate, .kill], works: .terminate))
    #expect(await cause(worker) == .signaled(SIGTERM))
  }

  @Test func `kills one that ignores everything else`() async throws {
    let worker = try await start(
      "trap '' TERM; echo ready >&2; while :; do sleep 600; done"
    )
    await worker.end(by: ladder([.shutdown, .closeInput, .terminate, .kill], works: .kill))
    #expect(worker.hasEnded)
    #expect(await cause(worker) == .signaled(SIGKILL))
  }

  @Test func `kills one that is stopped`() async throws {
    // Another process says so, once it is stopped.
    let worker = try await start(
      """
      (until grep -q '^State:.T' /proc/$$/status; do :; done; echo ready >&2) &
      kill -STOP $$
      exit 0
      """
    )
    await worker.end(by: ladder([.closeInput, .terminate, .kill], works: .kill))
    #expect(await cause(worker) == .signaled(SIGKILL))
  }

  @Test func `returns at once for one that has ended`() async throws {
    let worker = try await start("echo ready >&2; exit 2")
    #expect(await cause(worker) == .exited(code: 2))
    let start = ContinuousClock.now
    await worker.end(by: ladder([.shutdown], works: .shutdown))
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `for a reason keeps the first`() async throws {
    let worker = try await start("echo ready >&2; exec sleep 600")
    worker.terminate(reason: .hung(seconds: 20))
    worker.terminate(reason: .notReady(seconds: 120))
    #expect(await cause(worker) == .hung(seconds: 20))
  }

  @Test func `leaves the last lines of its log`() async throws {
    let worker = try await start("echo one >&2; echo ready >&2; echo three >&2; exit 1")
    var deaths: [Death] = []
    for await case .ended(let death) in worker.events { deaths.append(death) }
    #expect(deaths.map(\.lastLines) == [["one", "ready", "three"]])
  }

  /// A ladder of which only the step `last` ends the worker.
  private func ladder(_ steps: [Ladder.Step], works last: Ladder.Step) -> Ladder {
    Ladder(
      rungs: steps.map {
        .init(step: $0, timeout: $0 == last ? .seconds(30) : .milliseconds(200))
      }
    )
  }

  /// Starts a worker and returns once its script has written to the log.
  private func start(_ script: String) async throws -> WorkerHandle {
    let eventLoop = try ChildEventLoop()
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let ready = Latch()
    let launch = Launch(executable: "/bin/sh", arguments: ["-c", script], environment: [:])
    let pid = try await eventLoop.launch(launch) { event in
      if case .error = event { ready.open() }
      return connection.handle(event)
    }
    #expect(await ready.wait(.seconds(30)))
    return WorkerHandle(
      run: RunID("r"),
      pid: pid,
      log: "/dev/null",
      eventLoop: eventLoop,
      connection: connection
    )
  }

  private func cause(_ worker: WorkerHandle) async -> Death.Cause? {
    for await case .ended(let death) in worker.events { return death.cause }
    return nil
  }
}
