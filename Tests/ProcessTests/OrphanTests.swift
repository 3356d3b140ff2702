import Foundation
import Supervision
import TestSupport
import Testing
import Wire

// The coordinator runs in its own process here because it is killed.
@Suite(.timeLimit(.minutes(5))) struct `A coordinator that is killed` {
  @Test func `leaves no worker that is stopped`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await Self.coordinate()
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let pids = output.split(separator: "\n").filter { $0.hasPrefix("pid ") }
      .compactMap { Int32($0.dropFirst(4)) }
    #expect(pids.count == 1)
    for pid in pids { #expect(await Stranger.hasGone(pid)) }
  }

  /// Starts a worker, stops it, reports its pid and is killed.
  private static func coordinate() async throws {
    let troupe = try await Troupe.shared()
    let roster = try Roster(executable: troupe.worker)
    let configuration = WorkerConfiguration(
      run: RunID("orphan-1"),
      plugin: troupe.plugin("puppet"),
      model: nil,
      contextSize: nil
    )
    let worker = try await roster.launch(configuration, log: "/nonexistent/log")
    for await case .message(.ready) in worker.events { break }
    kill(worker.pid, SIGSTOP)
    // Proves that the check works: the process is alive until now.
    guard Stranger.isRunning(worker.pid) else { exit(1) }
    let line = Array("\npid \(worker.pid)\n".utf8)
    _ = write(1, line, line.count)
    kill(getpid(), SIGKILL)
  }
}
