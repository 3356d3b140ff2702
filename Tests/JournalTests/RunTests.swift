import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

struct `Runs of workers` {
  @Test func `are read back from their beginning to their end, with their usage`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.beginRun(
      "title-1",
      agent: "title",
      role: .friend,
      in: conversation,
      pid: 4711,
      model: "pocket.gguf",
      at: 1000.5
    )
    for _ in 0..<2 {
      try await journal.append(
        .response("Fold."),
        in: conversation,
        turn: turn,
        run: "title-1",
        request: .some
      )
    }
    let state = StateChange(properties: [:], usage: .some)
    try await journal.append(
      [.changedState(state)],
      in: conversation,
      turn: turn,
      agent: "title",
      run: "title-1"
    )
    let reader = try file.reader()
    #expect(try await reader.entries(of: conversation).map(\.request) == [nil, .some, .some])
    let run = try #require(try await reader.runs().first)
    #expect((run.id, run.agent, run.role) == ("title-1", "title", .friend))
    #expect((run.conversation, run.pid, run.launcher) == (conversation, 4711, "local"))
    #expect((run.model, run.log) == ("pocket.gguf", "title-1.log"))
    #expect(run.started == Date(timeIntervalSince1970: 1000.5))
    #expect((run.tokensIn, run.tokensCached, run.tokensOut) == (120, 12, 33))
    #expect((run.seconds, run.contextSize) == (1.5, 8192))
    #expect(try await reader.windows(of: conversation) == ["title": 8192])
    #expect(run.ended == nil && run.outcome == nil)
    try await journal.endRun("title-1", in: conversation, outcome: "it was killed by signal 9")
    let ended = try #require(try await reader.run("title-1"))
    #expect(ended.outcome == "it was killed by signal 9")
    #expect(ended.ended != nil)
  }

  @Test func `say on which host they are`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    try await journal.beginRun("a-1", in: conversation)
    try await journal.beginRun("a-2", in: conversation, host: "gpu1", at: 2000)
    #expect(try await file.reader().runs().map(\.host) == [nil, "gpu1"])
  }

  @Test func `are found by id, agent or pid, the latest first`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    let (other, _) = try await journal.beginTalk("other")
    try await journal.beginRun("a-1", in: conversation, pid: 5, at: 10)
    try await journal.beginRun("a-2", in: other, pid: 5, at: 20)
    try await journal.beginRun("b-1", agent: "b", in: other, at: 15)
    let reader = try file.reader()
    #expect(try await reader.run(named: "a-1")?.id == "a-1")
    #expect(try await reader.run(named: "a")?.id == "a-2")
    #expect(try await reader.run(named: "5")?.id == "a-2")
    #expect(try await reader.run(named: "77")?.id == "b-1")
    #expect(try await reader.run(named: "c") == nil)
    #expect(try await reader.runs().map(\.id) == ["a-1", "b-1", "a-2"])
    #expect(try await reader.runs(of: other).map(\.id) == ["b-1", "a-2"])
  }

  @Test func `that died are found by the time of their death, and others are not`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let friend = try await journal.phone("title", call: "ask", of: conversation, turn: turn)
    let deepest = try await journal.phone(
      "title",
      call: "ask",
      of: friend.conversation,
      turn: friend.turn
    )
    let places = [conversation, friend.conversation, deepest.conversation, conversation]
    for (index, place) in places.enumerated() {
      try await journal.beginRun("run-\(index)", in: place)
    }
    let start = Date()
    try await journal.endRun("run-0", in: places[0], outcome: "it ended")
    try await journal.endRun("run-1", in: places[1], cause: "signaled")
    try await journal.endRun("run-2", in: places[2], cause: "outOfMemory")
    let reader = try file.reader()
    let deaths = try await reader.deaths(since: start, limit: 9)
    #expect(deaths.map(\.id) == ["run-2", "run-1"])
    #expect(deaths.map(\.cause) == ["outOfMemory", "signaled"])
    #expect(try await reader.deathCount(since: start) == 2)
    #expect(try await reader.deaths(since: start, limit: 1).map(\.id) == ["run-2"])
    #expect(try await reader.deathCount(since: Date(timeIntervalSinceNow: 60)) == 0)
    for place in places {
      #expect(try await reader.session(of: place) == "talk")
    }
    #expect(try await reader.session(of: 99) == nil)
    // Runs left by an earlier coordinator are recorded as lost.
    try await journal.closeRuns(outcome: "lost")
    #expect(try await reader.run("run-3")?.cause == "lost")
    #expect(try await reader.inspect().flaws == [])
  }

  @Test func `that died are found without reading those that live`() async throws {
    let file = try JournalFile()
    _ = try file.open()
    let plan = try await file.reader().read { db in
      try Row.fetchAll(
        db,
        sql: """
          EXPLAIN QUERY PLAN SELECT * FROM run WHERE cause IS NOT NULL AND ended >= 1
          ORDER BY ended DESC, id LIMIT 20
          """
      ).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("runByDeath") }, "\(plan)")
  }
}
