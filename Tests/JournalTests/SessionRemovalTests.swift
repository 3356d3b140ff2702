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

  @Test func `stays as it is where it is unknown, or something else in the journal is wrong`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    for name in ["one", "two", "three"] { try await journal.play(name) }
    await #expect(throws: SessionError.unknown("four")) { try await journal.remove("four") }
    try await journal.close(after: "DELETE FROM property WHERE id = 2")
    let lame = try file.open()
    let before = try await file.reader().inspect()
    let error = await #expect(throws: SessionError.self) { try await lame.remove("one") }
    guard case .flawedJournal = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await file.reader().inspect() == before)
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
