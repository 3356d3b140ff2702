import Foundation
import GRDB
import Testing

@testable import Journal

/// Inspection locates what was changed in a journal behind its back.
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

  /// The change and the flaw that is reported; facts 1 to 19 are those of session one.
  private static let changes = [
    ("UPDATE fact SET payload = substr(payload, 1, 20) WHERE id = 4", "fact 4: it cannot be read"),
    ("UPDATE fact SET kind = 'ended' WHERE id = 4", "fact 4: it cannot be read"),
    ("DELETE FROM fact WHERE id = 2", "fact 5: it does not fit the log"),
    ("DELETE FROM fact WHERE id = 18", "turn 1: it is not what the log says"),
    ("DELETE FROM fact WHERE id = 1", "fact 2: it does not fit the log"),
    ("DELETE FROM fact WHERE kind = 'exited'", "run one-1: it is not what the log says"),
    ("UPDATE fact SET usage = NULL WHERE id = 4", "run one-1: it is not what the log says"),
    ("UPDATE fact SET turn = 2 WHERE id = 4", "fact 4: its turn is missing"),
    ("UPDATE fact SET turn = NULL WHERE id = 4", "fact 4: it does not fit the log"),
    ("UPDATE fact SET conversation = 99 WHERE id = 3", "fact 3: its conversation is missing"),
    (
      "UPDATE fact SET kind = 'prompted', caps = '{}' WHERE id = 4",
      "fact 4: it does not fit the log"
    ),
    ("UPDATE turn SET conversation = 99 WHERE id = 1", "turn 1: its conversation is missing"),
    ("DELETE FROM turn WHERE id = 1", "fact 2: its turn is missing"),
    (
      #"UPDATE fact SET payload = replace(payload, '"count":4', '"count":5')"#,
      "it does not fit: it edits 5 entries, but finds 4"
    ),
    (
      #"UPDATE fact SET payload = replace(payload, '"from":1', '"from":2')"#,
      "it does not fit: it edits 4 entries, but finds 5"
    ),
    ("DROP INDEX factOfTurn", "schema: its tables are not those of this version"),
    ("CREATE TRIGGER t INSERT ON fact BEGIN SELECT 1; END", "schema: its tables are not those"),
  ]

  @Test(arguments: changes)
  func `What was changed afterwards is told by its place`(change: String, flaw: String) async throws
  {
    let file = try await Self.file(after: change)
    let flaws = try await file.reader().inspect().flaws.map(\.description)
    #expect(flaws.contains { $0.contains(flaw) }, "\(flaws)")
  }

  @Test func `A fact whose kind was lost is not overlooked, whatever kind is looked for`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.play("one")
    try await journal.close(after: "UPDATE fact SET kind = '' WHERE id = 4")
    let reader = try file.reader()
    await #expect(throws: JournalError.self) { try await reader.entries(of: conversation) }
    await #expect(throws: JournalError.self) { try await reader.history(of: conversation) }
    await #expect(throws: JournalError.self) { try await reader.batons(of: turn) }
  }

  @Test func `A fact that cannot be read is told with its session, which cannot be exported`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let (conversation, _) = try await journal.play("two")
    // The second damaged fact belongs to a friend that is phoned in that session.
    let damaged = try await journal.database.write { db in
      let sql = "SELECT id FROM fact WHERE kind = 'recorded' AND payload LIKE '%A title%'"
      let ids = try Int64.fetchAll(db, sql: sql)
      for id in ids { try db.execute(sql: "UPDATE fact SET payload = 'ink' WHERE id = \(id)") }
      return ids
    }
    #expect(damaged.count == 2)
    let reader = try file.reader()
    let flaws = try await reader.inspect().flaws
    #expect(flaws.map(\.place) == damaged.map { "fact \($0)" })
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
    // This damages another session.
    ("UPDATE fact SET payload = 'ink' WHERE id = 2", 0),
    ("UPDATE turn SET spent = 9 WHERE id = 1", 0),
    // These belong to a session that cannot be known.
    ("DELETE FROM turn WHERE id = 1", 1),
    ("UPDATE fact SET conversation = 99, turn = NULL, payload = 'ink' WHERE id = 3", 1),
  ]) func `A flaw of another session, or of none, does not keep one from being exported`(
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
