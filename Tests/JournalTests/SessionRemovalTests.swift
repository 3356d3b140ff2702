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
    #expect(removed == RemovedSession(rows: 17, runs: ["removed-1"]))
    let inspection = try await file.reader().inspect()
    #expect(inspection == (try await other.reader().inspect()))
    #expect(inspection.flaws == [])
    #expect(try await file.reader().conversations().map(\.name) == ["after", "before"])
    #expect(try await file.reader().runs().map(\.id) == ["after-1", "before-1"])
    // The remaining sessions can be exported as if they had always been alone, and can continue.
    for name in ["before", "after"] {
      let path = file.folder.appending(path: "\(name).jsonl").path
      #expect(try await file.reader().export(name, to: path).rows == 17)
      let alone = try await other.reader().inspect(session: name)
      #expect(try await file.reader().inspect(session: name) == alone)
    }
    try await journal.play("removed")
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
    #expect(try await file.reader().export("copy", to: again).rows == 17)
    #expect(try await journal.remove("copy") == RemovedSession(rows: 17, runs: ["one-1"]))
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

  @Test(arguments: [
    // Numbers without gaps would no longer tell of a lost row.
    ("DELETE FROM property WHERE id = 2", "property 2: it is missing"),
    // Its number may become another row's.
    ("UPDATE property SET afterEntry = 99 WHERE id = 2", "property 2: its entry is missing"),
    ("UPDATE baton SET turn = 99 WHERE id = 2", "baton 2: its turn is missing"),
    // This would remain of the session, or of another one.
    (
      "UPDATE conversation SET parentTurn = 4 WHERE id = 4",
      "conversation 4: it belongs to no session"
    ),
    (
      "UPDATE conversation SET parentTurn = 1, parentCall = 'ask' WHERE id = 3",
      "conversation 3: it belongs both to a person and to a friend"
    ),
    ("DROP INDEX entryOfConversation", "schema: its tables are not those of this version"),
  ])
  func `stays where it would hide that something else in the journal is wrong`(
    change: String,
    flaw: String
  ) async throws {
    let file = try await Self.file(after: change)
    try await expectRefusal(of: "one", because: flaw, in: file)
  }

  @Test(arguments: [
    ("UPDATE entry SET conversation = 3 WHERE id = 7", "entry 7: its turn is of another session"),
    (
      "UPDATE property SET afterEntry = 14 WHERE id = 1",
      "property 1: its entry is of another session"
    ),
  ])
  func `stays where part of it is in another, which stays too, but not a third`(
    change: String,
    flaw: String
  ) async throws {
    let file = try await Self.file(after: change)
    for name in ["one", "two"] {
      try await expectRefusal(of: name, because: flaw, in: file)
    }
    let before = try await file.reader().inspect().flaws
    #expect(!before.isEmpty)
    #expect(try await file.open().remove("three").rows == 17)
    #expect(try await file.reader().inspect().flaws == before)
  }

  @Test func `leaves others with their flaws, which are told of as before`() async throws {
    let file = try await Self.file(
      after: """
        UPDATE baton SET callID = 'none' WHERE id = 1;
        UPDATE entry SET payload = 'ink' WHERE id = 21;
        UPDATE run SET pid = 'two' WHERE id = 'one-1';
        """
    )
    let before = try await file.reader().inspect().flaws
    #expect(before.map(\.session) == ["one", "one", "three"], "\(before)")
    let journal = try file.open()
    #expect(try await journal.remove("two").rows == 17)
    let after = try await file.reader().inspect().flaws
    #expect(after.map(\.session) == before.map(\.session), "\(after)")
    #expect(after.map(\.place).contains("entry 14"), "\(after)")
    // Neither keeps the other from being removed.
    _ = try await journal.remove("one")
    #expect(try await file.reader().inspect().flaws.map(\.session) == ["three"])
    _ = try await journal.remove("three")
    #expect(try await file.reader().inspect() == JournalInspection())
  }

  @Test func `may itself be the one with a flaw`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    for name in ["one", "two"] { try await journal.play(name) }
    try await journal.close(after: "UPDATE baton SET callID = 'none' WHERE id = 1")
    #expect(try await file.reader().inspect().flaws.map(\.session) == ["one"])
    let lame = try file.open()
    #expect(try await lame.remove("one").rows == 17)
    #expect(try await file.reader().inspect().flaws == [])
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
    #expect(found.description.hasPrefix(flaw), "\(found)")
    let wayOut = found.isOfStorage ? "Restore a copy" : "export those that you want to keep"
    #expect(error?.description.contains(wayOut) == true)
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
