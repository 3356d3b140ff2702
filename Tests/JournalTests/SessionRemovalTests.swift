import AgentKit
import Foundation
import Testing

@testable import Journal

struct `A session that is removed` {
  @Test func `leaves a journal in which only the others ever were`() async throws {
    let (file, other) = (try JournalFile(), try JournalFile())
    let (journal, expected) = (try file.open(), try other.open())
    for name in ["before", "removed", "after"] { try await journal.play(name) }
    for name in ["before", "after"] { try await expected.play(name) }
    let removed = try await journal.remove("removed")
    #expect(removed == RemovedSession(rows: Journal.playedFacts, runs: ["removed-1"]))
    let inspection = try await file.reader().inspect()
    #expect(inspection == (try await other.reader().inspect()))
    #expect(inspection.flaws == [])
    #expect(try await file.reader().conversations().map(\.name) == ["after", "before"])
    #expect(try await file.reader().runs().map(\.id) == ["after-1", "before-1"])
    // The remaining sessions can be exported as if they had always been alone, and can continue.
    for name in ["before", "after"] {
      let path = file.folder.appending(path: "\(name).jsonl").path
      #expect(try await file.reader().export(name, to: path).rows == Journal.playedFacts)
      let alone = try await other.reader().inspect(session: name)
      #expect(try await file.reader().inspect(session: name) == alone)
    }
    try await journal.play("removed")
    #expect(try await file.reader().inspect().flaws == [])
  }

  @Test func `leaves its places in the log to no one else`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("removed")
    let reader = JournalReader(journal)
    let last = try await reader.lastPlace()
    _ = try await journal.remove("removed")
    try await journal.play("next")
    #expect(try await reader.facts(after: last, limit: 1000).count == Journal.playedFacts)
    #expect(try await reader.lastPlace() == last + Int64(Journal.playedFacts))
  }

  @Test func `leaves its numbers to no other session, however that begins`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("kept")
    let content = try await file.reader().export("kept").content
    for round in 1...3 {
      let removed = try await journal.play("removed")
      let reader = try file.reader()
      let place = try await reader.lastPlace()
      let last = try await reader.conversations().map(\.id).max() ?? 0
      _ = try await journal.remove("removed", compacts: round == 1)
      let name = "next-\(round)"
      switch round {
      case 1: try await journal.fork("kept", as: name)
      case 2: try await journal.importSession(content, from: "kept.jsonl", as: name)
      default: try await journal.play(name)
      }
      let next = try #require(try await file.reader().conversation(named: name))
      let turns = try await file.reader().turns(of: next.id)
      #expect(next.id > last && last >= removed.conversation)
      #expect(turns.allSatisfy { $0.id > removed.turn } && !turns.isEmpty)
      let facts = try await file.reader().facts(after: place, limit: 1000)
      #expect(facts.count == Journal.playedFacts)
    }
    #expect(try await file.reader().inspect().flaws == [])
  }

  @Test func `is in none of the files of the journal any more`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("kept")
    try await journal.play("secret-7b1f")
    let words = Data("done, secret-7b1f".utf8)
    // Proves that the search works before the session is removed.
    #expect(try file.bytes().range(of: words) != nil)
    _ = try await journal.remove("secret-7b1f")
    #expect(try file.bytes().range(of: words) == nil)
    #expect(try file.bytes().range(of: Data("done, kept".utf8)) != nil)
  }

  @Test func `leaves its workers to a copy of it, until that is removed`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    try await journal.importSession(from: path, as: "copy")
    #expect(try await journal.remove("one").runs == [])
    #expect(try await file.reader().inspect().flaws == [])
    #expect(try await file.reader().runs().map(\.id) == ["one-1"])
    let again = file.folder.appending(path: "copy.jsonl").path
    #expect(try await file.reader().export("copy", to: again).rows == Journal.playedFacts)
    #expect(
      try await journal.remove("copy") == RemovedSession(rows: Journal.playedFacts, runs: ["one-1"])
    )
    #expect(try await file.reader().runs() == [])
  }

  @Test func `stays as it is where it is unknown`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let before = try await file.reader().inspect()
    await #expect(throws: SessionError.unknown("two")) { try await journal.remove("two") }
    #expect(try await file.reader().inspect() == before)
  }

  @Test func `leaves the others' facts under their numbers`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    for name in ["one", "two", "three"] { try await journal.play(name) }
    let reader = try file.reader()
    let (own, others) = (
      try await Self.facts(of: "two", reader), try await Self.facts(of: "three", reader)
    )
    #expect(!own.isEmpty)
    _ = try await journal.remove("two")
    #expect(try await Self.facts(of: "three", file.reader()) == others)
    let left = Set(try await file.reader().facts(after: 0, limit: .max).map(\.id))
    #expect(left.isDisjoint(with: own.map(\.id)))
  }

  private static func facts(of session: String, _ reader: JournalReader) async throws -> [Fact] {
    let conversation = try #require(try await reader.conversation(named: session))
    return try await reader.facts(of: conversation.id)
  }

  @Test func `stays where the storage is damaged`() async throws {
    let file = try await Self.file(after: "DROP INDEX factOfTurn")
    try await expectRefusal(of: "one", because: "schema", in: file)
  }

  @Test(arguments: [
    // A fact of another session would be without a turn, or without a conversation.
    ("UPDATE fact SET conversation = 1, turn = NULL WHERE id = 40", false),
    ("UPDATE turn SET conversation = 1 WHERE id = 3", true),
  ])
  func `stays where something of another session refers to it`(
    change: String,
    isRefused: Bool
  ) async throws {
    let file = try await Self.file(after: change)
    if isRefused { return try await expectRefusal(of: "one", because: "fact", in: file) }
    // What was moved into it belongs to it.
    #expect(try await file.open().remove("one").rows == Journal.playedFacts + 1)
  }

  @Test func `does not stay because something of others is missing`() async throws {
    let file = try await Self.file(after: "DELETE FROM turn WHERE conversation = 1")
    let before = try await file.reader().inspect(session: "one").flaws
    #expect(!before.isEmpty)
    for (name, compacts) in [("two", false), ("three", true)] {
      let removed = try await file.open().remove(name, compacts: compacts)
      #expect(removed.rows == Journal.playedFacts)
      #expect(try await file.reader().inspect(session: "one").flaws == before)
    }
  }

  @Test func `leaves others with their flaws, which are told of as before`() async throws {
    let file = try await Self.file(
      after: """
        UPDATE turn SET spent = 9 WHERE id = 1;
        UPDATE fact SET payload = 'ink' WHERE id = 40;
        UPDATE run SET pid = 2 WHERE id = 'one-1';
        """
    )
    let before = try await file.reader().inspect().flaws
    #expect(before.map(\.session) == ["three", "one", "one"], "\(before)")
    let journal = try file.open()
    #expect(try await journal.remove("two").rows == Journal.playedFacts)
    #expect(try await file.reader().inspect().flaws == before)
    // Neither keeps the other from being removed.
    _ = try await journal.remove("one")
    #expect(try await file.reader().inspect().flaws.map(\.session) == ["three"])
    _ = try await journal.remove("three")
    #expect(try await file.reader().inspect() == JournalInspection())
  }

  /// Creates a journal of three sessions and applies a change to it.
  private static func file(after change: String) async throws -> JournalFile {
    let file = try JournalFile()
    let journal = try file.open()
    for name in ["one", "two", "three"] { try await journal.play(name) }
    try await journal.close(after: change)
    return file
  }

  /// Expects that a session is not removed, and that nothing is changed.
  private func expectRefusal(
    of session: String,
    because flaw: String,
    in file: JournalFile
  ) async throws {
    let journal = try file.open()
    let before = try await file.reader().inspect()
    let error = await #expect(throws: SessionError.self) { try await journal.remove(session) }
    guard case .flawedJournal(let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.place.hasPrefix(flaw), "\(found)")
    #expect(try await file.reader().inspect() == before)
    try journal.close()
  }
}

extension JournalFile {
  /// The bytes of all files in the journal's folder.
  fileprivate func bytes() throws -> Data {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    return try files.reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
  }
}
