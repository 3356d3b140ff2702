import Foundation
import Testing

@testable import Journal

/// What the import of a session writes beside the journal.
struct SessionDraftTests {
  @Test func `Nothing is left beside the journal, whether a session is taken or refused`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    let path = file.folder.appending(path: "one.jsonl").path
    try await file.reader().export("one", to: path)
    let before = try file.names()
    #expect(before.contains("journal.sqlite"))
    try await journal.importSession(from: path, as: "two")
    #expect(try file.names() == before)
    await #expect(throws: SessionError.nameTaken("two")) {
      try await journal.importSession(from: path, as: "two")
    }
    #expect(try file.names() == before)
  }

  @Test func `What a killed process has left of a session goes when the journal is opened`()
    async throws
  {
    let file = try JournalFile()
    try file.open().close()
    for suffix in [".new", ".new-journal"] {
      try Data("left".utf8).write(to: URL(filePath: file.path + suffix))
    }
    try file.open().close()
    let left = try file.names().filter { $0.contains(".new") }
    #expect(left == [])
  }
}
