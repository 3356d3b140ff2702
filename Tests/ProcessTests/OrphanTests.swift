import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

// The coordinator runs in its own process here because it is killed.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A coordinator that is killed` {
  @Test func `leaves no worker that waits`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await Self.coordinate { _ in }
    }
    try await expectNoOrphan(result)
  }

  @Test func `leaves no worker whose tool blocks`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await Self.coordinate { worker in
        try worker.send(.turn(Turns.prompt("do block")))
        for await case .message(let message) in worker.events {
          if let reply = Turns.reply(to: message) { try worker.send(reply) }
          // The call is recorded, so the tool runs.
          if !message.recordedEntries.isEmpty { return }
        }
      }
    }
    try await expectNoOrphan(result)
  }

  @Test func `leaves no worker that is stopped`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await Self.coordinate { kill($0.pid, SIGSTOP) }
    }
    try await expectNoOrphan(result)
  }

  @Test func `leaves no template, and no worker that was forked`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) {
      try await WarmStage.set { stage in
        let worker = try await stage.worker("title").worker
        for await case .message(.ready) in worker.events { break }
        let templates = await stage.roster.standbys().map(\.pid)
        guard templates.count == 3 else { exit(1) }
        Self.tell([worker.pid] + templates, leaving: stage.folder)
      }
    }
    try await expectNoOrphan(result, count: 4)
  }

  /// Starts a worker, reports its pid and is killed.
  private static func coordinate(_ body: (WorkerHandle) async throws -> Void) async throws {
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
    try await body(worker)
    tell([worker.pid])
  }

  /// Reports the pids of processes and the folder that is left behind, and is killed.
  private static func tell(_ pids: [Int32], leaving folder: String? = nil) {
    // Proves that the check works: the processes are alive until now.
    guard pids.allSatisfy(Stranger.isRunning) else { exit(1) }
    let words = pids.map { "pid \($0)" } + (folder.map { ["folder \($0)"] } ?? [])
    let lines = Array(words.map { "\n\($0)\n" }.joined().utf8)
    _ = write(1, lines, lines.count)
    kill(getpid(), SIGKILL)
  }

  private func expectNoOrphan(_ result: ExitTest.Result?, count: Int = 1) async throws {
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    func told(_ what: String) -> [Substring] {
      output.split(separator: "\n").filter { $0.hasPrefix(what) }.map { $0.dropFirst(what.count) }
    }
    let pids = told("pid ").compactMap { Int32($0) }
    #expect(pids.count == count)
    for pid in pids { #expect(await Stranger.hasGone(pid)) }
    for folder in told("folder ") { try FileManager.default.removeItem(atPath: String(folder)) }
  }
}
