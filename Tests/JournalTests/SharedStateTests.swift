import AgentKit
import Foundation
import Testing

@testable import Journal

/// The state that agents share, as the journal holds it.
struct SharedStateTests {
  private func words(_ entries: [Transcript.Entry]) -> [String] { entries.map(\.description) }

  @Test func `A property has the value that was written last`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for values in [["a": "1", "b": "2"], ["a": "3"]] {
      try await journal.keepState(
        properties: values,
        edit: nil,
        conversation: conversation,
        turn: turn,
        agent: "x"
      )
    }
    let reader = try file.reader()
    #expect(try await reader.properties(of: conversation) == ["a": "3", "b": "2"])
    let records = try await reader.propertyRecords(of: conversation)
    #expect(records.map { "\($0.name)=\($0.value)" } == ["a=1", "b=2", "a=3"])
    #expect(try await reader.properties(of: conversation + 1) == [:])
  }

  @Test func `A property whose name is spelled in two ways is one`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for (name, value) in [("caf\u{E9}", "1"), ("cafe\u{301}", "2")] {
      try await journal.keepState(
        properties: [name: value],
        edit: nil,
        conversation: conversation,
        turn: turn,
        agent: "x"
      )
    }
    #expect(try await file.reader().properties(of: conversation) == ["caf\u{E9}": "2"])
  }

  @Test func `The history is what the edits made of what was said, in the order of both`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    func say(_ text: String, turn: Int64 = turn) async throws {
      try await journal.append(
        .response(text),
        conversation: conversation,
        turn: turn,
        agent: "a",
        run: "a-1"
      )
    }
    func edit(
      turn: Int64 = turn,
      _ change: ([Transcript.Entry]) -> [Transcript.Entry]
    ) async throws {
      let before = try await file.reader().history(of: conversation)
      try await journal.keepState(
        properties: [:],
        edit: HistoryEdit(from: before, to: change(before)),
        conversation: conversation,
        turn: turn,
        agent: "a"
      )
    }
    func seen() async throws -> [String] {
      try await file.reader().history(of: conversation).map(\.description)
    }
    try await say("one")
    try await edit { Array($0.suffix(1)) }
    try await edit { $0 + [.prompt("noted")] }
    try await say("two")
    #expect(try await seen() == ["one", "noted", "two"])
    try await journal.endTurn(turn, exit: .answered, revertingTo: nil)

    // Reverting a turn also reverts its edits.
    let (next, _) = try await journal.beginTurn(in: conversation, prompt: .prompt("more"))
    try await edit(turn: next.id) { _ in [.prompt("nothing")] }
    try await say("three", turn: next.id)
    #expect(try await seen() == ["nothing", "three"])
    try await journal.endTurn(next.id, exit: .cancelled, revertingTo: "a")
    #expect(try await seen() == ["one", "noted", "two"])
    // Nothing is deleted.
    #expect(try await file.reader().entries(of: conversation).count == 5)
    #expect(try await file.reader().historyEdits(of: conversation).count == 3)
  }
}
