import AgentKit
import Foundation
import Testing

@testable import Journal

struct RunTests {
  @Test func `A life is read back from its beginning to its end, with its figures`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    var run = RunRecord(
      id: "title-1",
      agent: "title",
      role: .friend,
      conversation: conversation,
      pid: 4711,
      launcher: "local",
      model: "pocket.gguf",
      log: "title-1.log",
      started: Date(timeIntervalSince1970: 1000.5)
    )
    try await journal.beginRun(run)
    #expect(try await file.reader().runs() == [run])
    let request = RequestRecord(
      tokensIn: 10,
      tokensCached: 4,
      tokensOut: 3,
      secondsToFirstToken: 0.1,
      seconds: 0.25,
      cacheBreak: "the tools changed"
    )
    for _ in 0..<2 {
      try await journal.append(
        .response(.init(segments: [.text(.init(content: "Fold."))])),
        conversation: conversation,
        turn: turn,
        agent: "title",
        run: run.id,
        request: request
      )
    }
    #expect(
      try await file.reader().entries(of: conversation).map(\.request) == [nil, request, request]
    )
    (run.tokensIn, run.tokensCached, run.tokensOut, run.seconds) = (20, 8, 6, 0.5)
    #expect(try await file.reader().runs() == [run])
    try await journal.endRun(run.id, outcome: "it was killed by signal 9")
    let ended = try #require(try await file.reader().runs().first)
    #expect(ended.outcome == "it was killed by signal 9")
    #expect(ended.ended != nil)
  }

  @Test func `A spare becomes a friend, whichever is told first, and a friend nothing else`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    var spare = RunRecord("title-1", conversation: nil, at: 1000)
    (spare.role, spare.agent) = (.spare, "spare-title")
    var friend = RunRecord("title-1", conversation: conversation, at: 1010)
    (friend.role, friend.agent) = (.friend, "title")
    try await journal.beginRun(spare)
    #expect(try await file.reader().runs() == [spare])
    try await journal.beginRun(friend)
    #expect(try await file.reader().runs() == [friend])
    try await journal.beginRun(spare)
    #expect(try await file.reader().runs() == [friend])
  }

  @Test func `A life is found by its id, its agent or its pid, the latest first`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    let (other, _) = try await journal.beginTalk("other")
    try await journal.beginRun(RunRecord("a-1", conversation: conversation, pid: 5, at: 10))
    try await journal.beginRun(RunRecord("a-2", conversation: other, pid: 5, at: 20))
    try await journal.beginRun(RunRecord("b-1", agent: "b", conversation: other, at: 15))
    let reader = try file.reader()
    #expect(try await reader.run(named: "a-1")?.id == "a-1")
    #expect(try await reader.run(named: "a")?.id == "a-2")
    #expect(try await reader.run(named: "5")?.id == "a-2")
    #expect(try await reader.run(named: "77")?.id == "b-1")
    #expect(try await reader.run(named: "c") == nil)
    #expect(try await reader.runs().map(\.id) == ["a-1", "b-1", "a-2"])
    #expect(try await reader.runs(of: other).map(\.id) == ["b-1", "a-2"])
  }

  @Test func `A life begins once`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    let run = RunRecord("a-1", conversation: conversation, at: 1)
    try await journal.beginRun(run)
    await #expect(throws: (any Error).self) { try await journal.beginRun(run) }
  }
}
