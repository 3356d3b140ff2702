import AgentKit
import Foundation
import GRDB
import TestSupport
import Testing
import Wire

@testable import Coordination
@testable import Journal

@Suite(.timeLimit(.minutes(5)))
struct `An interrupted turn with a call on another machine` {
  private static let lease = Duration.milliseconds(800)

  /// Abandons a coordinator in the middle of a call, and has another find that its runs ended.
  private func fall(
    on host: String?,
    friendsHost: String? = nil,
    part: @escaping @Sendable (FakeTurn) async throws -> Void = {
      try await $0.record(.call("1", "pay"))
    }
  ) async throws -> Restart {
    let reached = Signal()
    let paying = Restart.until(reached) { try await $0.record(.call("1", "pay")) }
    let restart = try Restart(["title": paying]) { turn in
      try await part(turn)
      if friendsHost != nil { await reached.wait() }
    }
    if let host { restart.before.workers.place("a", on: host) }
    if let friendsHost { restart.before.workers.place("title", on: friendsHost) }
    try await restart.fall()
    try await restart.before.journal.closeRuns(outcome: "lost")
    return restart
  }

  private func next(_ restart: Restart, lease: Duration = Self.lease) throws -> Table {
    try table(after: restart.before, lease: lease)
  }

  private func table(after before: Table, lease: Duration) throws -> Table {
    try Table(
      ["a": answering("done"), "title": answering("b")],
      hostLease: lease,
      after: before
    )
  }

  /// Resumes the turn, and ends its coordinator while that waits.
  ///
  /// - Returns: Whether it waited for this host.
  private func end(_ table: Table, whileItWaitsFor host: String) async throws -> Bool {
    let (watched, waitsOrEnds) = (Watched(), Signal())
    let talk = try await table.talk
    let resumed = Task {
      defer { waitsOrEnds.fire() }
      _ = try await talk.resume { event in
        watched.note(event)
        if case .trouble = event { waitsOrEnds.fire() }
      }
    }
    await waitsOrEnds.wait()
    await table.sessions.close()
    try await resumed.value
    return watched.all.contains {
      if case .trouble(let words) = $0 { words.contains("'\(host)'") } else { false }
    }
  }

  /// Resumes the turn.
  ///
  /// - Returns: How long that took, and what was said of the wait.
  private func resume(_ table: Table) async throws -> (time: Duration, words: [String]) {
    let (watched, begin) = (Watched(), ContinuousClock.now)
    let summary = try #require(try await table.talk.resume(watch: watched.note))
    let time = ContinuousClock.now - begin
    #expect(summary.exit == .answered)
    let words = watched.all.compactMap { if case .trouble(let words) = $0 { words } else { nil } }
    // The wait is not the turn's time.
    if !words.isEmpty { #expect(summary.seconds < time / .seconds(1) - 0.3) }
    return (time, words)
  }

  @Test func `goes on when no lease of an earlier outpost is left`() async throws {
    let restart = try await fall(on: "gpu1")
    let ended = try #require(
      try await JournalReader(restart.before.journal).runs().compactMap(\.ended).max()
    )
    let table = try next(restart)
    let found = try await resume(table)
    #expect(Date().timeIntervalSince(ended) >= 0.8)
    #expect(found.words.contains { $0.contains("'gpu1'") && $0.contains("goes on in 1 s") })
    #expect(table.workers.launched.first?.orders.first?.openCalls == ["1": .perhapsRun])
  }

  @Test func `waits for the call of a friend too, and again after another end`() async throws {
    let restart = try await fall(on: nil, friendsHost: "gpu2") { turn in
      try await turn.record(.call("1", "ask"))
      Task { _ = try await turn.phone("title", "a boat", callID: "1") }
    }
    let second = try next(restart, lease: .seconds(3600))
    #expect(try await end(second, whileItWaitsFor: "gpu2"))
    let third = try table(after: second, lease: .seconds(3600))
    #expect(try await end(third, whileItWaitsFor: "gpu2"))
  }

  /// The lease would outlast the time limit of the suite.
  @Test func `waits for none that ran here, or has its output, or was over before`() async throws {
    let lease = Duration.seconds(3600)
    #expect(try await resume(try next(try await fall(on: nil), lease: lease)).words.isEmpty)
    let done = try await fall(on: "gpu1") { turn in
      try await turn.record(.call("1", "pay"))
      try await turn.record(.output("1", "pay", "paid"))
    }
    #expect(try await resume(try next(done, lease: lease)).words.isEmpty)
    let old = try await fall(on: "gpu1")
    try await old.before.journal.database.write { db in
      try db.execute(sql: "UPDATE run SET ended = ended - 3600")
    }
    #expect(try await resume(try next(old, lease: lease)).words.isEmpty)
  }

  @Test func `can be cancelled while it waits`() async throws {
    let restart = try await fall(on: "gpu1")
    let table = try next(restart, lease: .seconds(3600))
    let waits = Signal()
    let talk = try await table.talk
    async let end = talk.resume { event in
      if case .trouble = event { waits.fire() }
    }
    await waits.wait()
    await talk.cancel()
    #expect(try await end?.exit == .cancelled)
    #expect(table.workers.launched.isEmpty)
  }

  @Test func `is cancelled when the client that has it go on leaves while it waits`() async throws {
    let asking = Restart.until(Signal()) { turn in
      try await turn.admission()
      let calls = [("1", "look"), ("2", "pay")].map { id, tool in
        Transcript.ToolCall(
          id: id,
          toolName: tool,
          arguments: GeneratedContent(properties: [:])
        )
      }
      try await turn.record(.toolCalls(Transcript.ToolCalls(calls)))
      _ = try await turn.performed(by: ["1"])
    }
    let before = try Table(["a": asking], restarts: .never)
    before.workers.place("a", on: "gpu1")
    // Nothing waits for the first coordinator, because its process would be gone.
    Task {
      try await before.talk.respond(
        to: "go",
        caps: Caps(),
        options: ClientCallTests.options,
        watch: { _ in }
      )
    }
    try await eventually("the client is asked") {
      try await JournalReader(before.journal).clientCalls().map(\.callID) == ["1"]
    }
    try await before.journal.closeRuns(outcome: "lost")
    let table = try table(after: before, lease: .seconds(3600))
    let (talk, waits) = (try await table.talk, Signal())
    let client = Task {
      try await talk.submit([ClientToolOutput(callID: "1", text: "seen")]) { event in
        if case .trouble = event { waits.fire() }
      }
    }
    await waits.wait()
    client.cancel()
    await #expect(throws: CancellationError.self) { try await client.value }
    let reader = JournalReader(table.journal)
    try await eventually("the turn has ended") {
      try await reader.turns(of: 1).first?.exit == .cancelled
    }
    #expect(table.workers.launched.isEmpty)
  }

  @Test func `is left to the next coordinator by one that ends meanwhile`() async throws {
    let restart = try await fall(on: "gpu1")
    let table = try next(restart, lease: .seconds(3600))
    #expect(try await end(table, whileItWaitsFor: "gpu1"))
    let turn = try #require(try await JournalReader(table.journal).turns(of: 1).first)
    #expect(turn.exit == nil)
    #expect(turn.resumptions == 0)
    #expect(table.workers.launched.isEmpty)
  }
}
