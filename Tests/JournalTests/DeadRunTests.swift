import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

struct DeadRunTests {
  @Test func `The dead are found by when they died, and those that ended as they should are not`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let (friend, asked) = try await journal.beginFriend(
      "title",
      prompt: .prompt("a title?"),
      turn: turn,
      callID: "ask"
    )
    let (deepest, _) = try await journal.beginFriend(
      "title",
      prompt: .prompt("a shorter one?"),
      turn: asked.id,
      callID: "ask"
    )
    for (index, place) in [conversation, friend.id, deepest.id, conversation].enumerated() {
      try await journal.beginRun(RunRecord("run-\(index)", conversation: place, at: 1000 + index))
    }
    let start = Date()
    try await journal.endRun("run-0", outcome: "it ended")
    try await journal.endRun("run-1", outcome: "it was killed by signal 9", cause: "signaled")
    try await journal.endRun("run-2", outcome: "it ran out of memory", cause: "outOfMemory")
    let reader = try file.reader()
    let deaths = try await reader.deaths(since: start, limit: 9)
    #expect(deaths.map(\.id) == ["run-2", "run-1"])
    #expect(deaths.map(\.cause) == ["outOfMemory", "signaled"])
    #expect(try await reader.deathCount(since: start) == 2)
    #expect(try await reader.deaths(since: start, limit: 1).map(\.id) == ["run-2"])
    #expect(try await reader.deathCount(since: Date(timeIntervalSinceNow: 60)) == 0)
    for place in [conversation, friend.id, deepest.id] {
      #expect(try await reader.session(of: place) == "talk")
    }
    #expect(try await reader.session(of: 99) == nil)
    // Runs left by an earlier coordinator are recorded as lost.
    try await journal.closeRuns(outcome: "lost")
    #expect(try await reader.runs().first { $0.id == "run-3" }?.cause == "lost")
  }

  @Test func `The dead are found without reading the living`() async throws {
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
