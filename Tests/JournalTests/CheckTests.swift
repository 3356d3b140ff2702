import Foundation
import GRDB
import Testing

@testable import Journal

/// Inspection locates every change that was made to a journal behind its back.
struct CheckTests {
  @Test func `What was written is without flaws, and is counted`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    try await journal.play("two")
    _ = try await journal.beginTalk("open")
    let all = try await file.reader().inspect()
    #expect(all == JournalInspection(sessions: 3, turns: 5, entries: 15, openTurns: 1, flaws: []))
    let one = try await file.reader().inspect(session: "one")
    #expect(one == JournalInspection(sessions: 1, turns: 2, entries: 7, openTurns: 0, flaws: []))
    await #expect(throws: SessionError.unknown("three")) {
      try await file.reader().inspect(session: "three")
    }
  }

  @Test(arguments: [
    ("DELETE FROM entry WHERE id = 3", "entry 3: it is missing"),
    ("DELETE FROM approval WHERE id = 1", "approval 1: it is missing"),
    (
      "UPDATE entry SET payload = substr(payload, 1, 20) WHERE id = 3", "entry 3: it cannot be read"
    ),
    ("UPDATE turn SET exit = '{}' WHERE id = 1", "turn 1: it cannot be read"),
    ("UPDATE turn SET ended = NULL WHERE id = 1", "turn 1: its end is half written"),
    (
      "UPDATE entry SET payload = (SELECT payload FROM entry WHERE id = 2) WHERE id = 1",
      "turn 1: it does not begin with a prompt"
    ),
    (
      "UPDATE entry SET payload = replace(payload, 'ask', 'ark') WHERE id = 5",
      "entry 5: it is the output of a call that was never made"
    ),
    (
      "UPDATE entry SET payload = (SELECT payload FROM entry WHERE id = 5) WHERE id = 6",
      "entry 6: it is a second output of the same call"
    ),
    (
      "UPDATE entry SET payload = (SELECT payload FROM entry WHERE id = 7) WHERE id = 6",
      "turn 1: it was answered, but the output of a call is missing"
    ),
    (
      "UPDATE baton SET callID = 'none' WHERE id = 1",
      "baton 1: it is a pass of the baton for a call that was never made"
    ),
    (
      "UPDATE approval SET callID = 'none' WHERE id = 1",
      "approval 1: it is a question to a person for a call that was never made"
    ),
    (
      "UPDATE earlyOutput SET payload = replace(payload, 'pass', 'path') WHERE id = 1",
      "earlyOutput 1: it is the output of a call that was never made"
    ),
    (
      "UPDATE earlyOutput SET payload = substr(payload, 1, 20) WHERE id = 1",
      "earlyOutput 1: it cannot be read"
    ),
    (
      "UPDATE conversation SET parentCall = 'none' WHERE id = 2",
      "conversation 2: it is a friend's conversation for a call that was never made"
    ),
    (
      "UPDATE entry SET conversation = 2 WHERE id = 7",
      "entry 7: its turn is one of another conversation"
    ),
    (
      "UPDATE property SET afterEntry = 4 WHERE id = 1",
      "property 1: the entry before it is one of another conversation"
    ),
    (
      "UPDATE entry SET run = 'ghost' WHERE id = 7",
      "entry 7: it is from a process 'ghost' that is not in the journal"
    ),
    (
      "UPDATE property SET afterEntry = 99 WHERE id = 1",
      "property 1: its entry is missing"
    ),
    (
      "UPDATE historyEdit SET payload = substr(payload, 1, 20) WHERE id = 1",
      "historyEdit 1: it cannot be read"
    ),
    (
      #"UPDATE historyEdit SET payload = replace(payload, '"count":4', '"count":5') WHERE id = 1"#,
      "historyEdit 1: it does not fit: it edits 5 entries, but finds 4"
    ),
    (
      #"UPDATE historyEdit SET payload = replace(payload, '"from":1', '"from":2') WHERE id = 1"#,
      "historyEdit 1: it does not fit: it edits 4 entries, but finds 5"
    ),
    ("UPDATE property SET at = 'then' WHERE id = 1", "property 1: it cannot be read"),
    ("UPDATE approval SET asked = 'then' WHERE id = 1", "approval 1: it cannot be read"),
    ("UPDATE baton SET at = 'then' WHERE id = 1", "baton 1: it cannot be read"),
    ("UPDATE run SET pid = 'two' WHERE id = 'one-1'", "run one-1: it cannot be read"),
    (
      """
      INSERT INTO context (conversation, turn, agent, at, afterEntry, payload)
      VALUES (1, 1, 'a', 1, 7, '{}')
      """, "context 1: it cannot be read"
    ),
    (
      """
      INSERT INTO death
        (run, agent, conversation, turn, at, afterEntry, cause, lastLines, tokensOut)
      VALUES ('one-1', 'a', 1, 1, 1, 7, 'it broke', '[', 1)
      """, "death 1: it cannot be read"
    ),
    (
      "UPDATE conversation SET parentTurn = 1, parentCall = 'ask' WHERE id = 1",
      "conversation 1: it belongs both to a person and to a friend"
    ),
    (
      "UPDATE conversation SET parentTurn = 2 WHERE id = 2",
      "conversation 2: it belongs to no session"
    ),
    ("DROP INDEX entryOfConversation", "schema: its tables are not those of this version"),
  ])
  func `What was changed afterwards is told by its place`(change: String, flaw: String) async throws
  {
    let file = try await Self.file(after: change)
    let flaws = try await file.reader().inspect().flaws.map(\.description)
    #expect(flaws.contains { $0.hasPrefix(flaw) }, "\(flaws)")
  }

  @Test func `An entry that cannot be read is told with its session, which cannot be moved`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let (conversation, _) = try await journal.play("two")
    // The second damaged entry belongs to a friend that is phoned in that session.
    let damaged = try await journal.database.write { db in
      try db.execute(sql: "UPDATE entry SET payload = 'ink' WHERE payload LIKE '%a title?%'")
      return try Int64.fetchAll(db, sql: "SELECT id FROM entry WHERE payload = 'ink' ORDER BY id")
    }
    let reader = try file.reader()
    let flaws = try await reader.inspect().flaws
    #expect(flaws.map(\.place) == damaged.map { "entry \($0)" })
    #expect(flaws.map(\.session) == ["one", "two"])
    #expect(try await reader.entries(of: conversation).isEmpty == false)
    let path = file.folder.appending(path: "two.jsonl").path
    await #expect(throws: SessionError.flawed("two", try #require(flaws.last))) {
      try await reader.export("two", to: path)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    // The error says that one value is unreadable, not the whole journal.
    let friend = try #require(try await reader.friends(of: 1).first)
    let error = await #expect(throws: JournalError.self) { try await reader.entries(of: friend.id) }
    guard case .unreadable(file.path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!reason.hasSuffix("."))
  }

  @Test(arguments: [
    // An entry moved to another session leaves both sessions incomplete.
    ("UPDATE entry SET conversation = 3 WHERE id = 7", ["one", "two"]),
    ("UPDATE property SET afterEntry = 8 WHERE id = 1", ["one"]),
  ]) func `What would be left out of a session keeps it from being moved`(
    change: String,
    refused: [String]
  ) async throws {
    let file = try await Self.file(after: change)
    for name in refused {
      let path = file.folder.appending(path: "\(name).jsonl").path
      let error = await #expect(throws: SessionError.self) {
        try await file.reader().export(name, to: path)
      }
      guard case .flawed(name, _) = error else {
        Issue.record("\(name): \(String(describing: error))")
        continue
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test(arguments: [
    // This damages another session.
    ("UPDATE entry SET payload = 'ink' WHERE id = 1", 0),
    ("UPDATE property SET afterEntry = 99 WHERE id = 1", 0),
    // A missing row does not say which session it belonged to.
    ("DELETE FROM approval WHERE id = 1", 1),
  ]) func `A flaw of another session, or of none, does not keep one from being moved`(
    change: String,
    doubts: Int
  ) async throws {
    let file = try await Self.file(after: change)
    let path = file.folder.appending(path: "two.jsonl").path
    let moved = try await file.reader().export("two", to: path)
    #expect(moved.doubts.count == doubts, "\(moved.doubts)")
    let other = try JournalFile()
    try await other.open().importSession(from: path)
    #expect(try await other.reader().inspect().flaws == [])
    guard doubts == 0 else { return }
    await #expect(throws: SessionError.self) {
      try await file.reader().export("one", to: file.folder.appending(path: "one.jsonl").path)
    }
  }

  /// Creates a journal of two sessions and applies a change to it.
  private static func file(after change: String) async throws -> JournalFile {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    try await journal.play("two")
    try await journal.close(after: change)
    return file
  }
}
