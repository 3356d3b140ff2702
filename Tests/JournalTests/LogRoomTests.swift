import AgentKit
import Foundation
import Testing

@testable import Journal

/// The room that is allocated in the log before it is used.
@Suite(.timeLimit(.minutes(5))) struct `The room of a journal's log` {
  private func size(of path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(facts[.size] as? Int)
  }

  @Test func `grows in pieces, and what is written in it is all there`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.beginRun("a-1", in: conversation)
    // Room is made after the first commit and by the second.
    try await journal.closeRuns(outcome: "gone")
    let first = try size(of: file.path + "-wal")
    #expect(first >= LogRoom.piece)
    // Within this piece, the file does not grow.
    try await journal.append(.response("word"), in: conversation, turn: turn)
    #expect(try size(of: file.path + "-wal") == first)
    let long = String(repeating: "word ", count: 1000)
    var sizes: Set<Int> = [first]
    for _ in 0..<200 {
      try await journal.append(.response(long), in: conversation, turn: turn)
      sizes.insert(try size(of: file.path + "-wal"))
    }
    // It has grown more than once, but less often than it was written to.
    #expect((3..<30).contains(sizes.count))
    #expect(try await file.reader().entries(of: conversation).count == 202)
    try journal.close()
    #expect(try await file.reader().entries(of: conversation).count == 202)
  }

  @Test func `is nothing to a journal that was not closed`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    try await journal.closeRuns(outcome: "gone")
    // A power failure leaves what was on disk and nothing that was in memory.
    let left = try JournalFile()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: left.path + suffix)
    }
    #expect(try size(of: left.path + "-wal") >= LogRoom.piece)
    let next = try left.open()
    #expect(try await JournalReader(next).entries(of: conversation).count == 1)
    try await next.closeRuns(outcome: "gone")
    try next.close()
    #expect(try await left.reader().inspect().flaws == [])
  }

  @Test func `alone is not taken for the rest of a journal`() async throws {
    let file = try JournalFile()
    try file.open().close()
    // As if the machine had failed after the room was made and before it was used.
    let zeros = Data(count: LogRoom.piece)
    try zeros.write(to: URL(filePath: file.path + "-wal"))
    let journal = try file.open()
    let (conversation, _) = try await journal.beginTalk()
    try journal.close()
    #expect(try await file.reader().entries(of: conversation).count == 1)
  }
}
