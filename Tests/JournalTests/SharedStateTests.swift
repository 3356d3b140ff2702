import AgentKit
import Foundation
import Testing

@testable import Journal

/// The state that agents share, as the journal holds it.
struct SharedStateTests {
  @Test func `A property has the value that was written last`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for values in [["b": "2", "a": "1"], ["a": "3"]] {
      let change = StateChange(properties: values)
      try await journal.append([.changedState(change)], in: conversation, turn: turn, agent: "x")
    }
    let reader = try file.reader()
    #expect(try await reader.properties(of: conversation) == ["a": "3", "b": "2"])
    let written = try await reader.stateChanges(of: conversation).map(\.change.properties)
    #expect(written == [["b": "2", "a": "1"], ["a": "3"]])
    #expect(try await reader.properties(of: conversation + 1) == [:])
  }

  @Test func `A property whose name is spelled in two ways is one`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for (name, value) in [("caf\u{E9}", "1"), ("cafe\u{301}", "2")] {
      let change = StateChange(properties: [name: value])
      try await journal.append([.changedState(change)], in: conversation, turn: turn, agent: "x")
    }
    #expect(try await file.reader().properties(of: conversation) == ["caf\u{E9}": "2"])
  }

  @Test func `The history is what the edits made of the entries, in the order of both`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    func seen() async throws -> [String] {
      try await file.reader().history(of: conversation).map(\.entry.description)
    }
    try await journal.append(.response("one"), in: conversation, turn: turn)
    try await journal.edit(in: conversation, turn: turn) { Array($0.suffix(1)) }
    try await journal.edit(in: conversation, turn: turn) { $0 + [.prompt("noted")] }
    try await journal.append(.response("two"), in: conversation, turn: turn)
    #expect(try await seen() == ["one", "noted", "two"])
    try await journal.end(turn, of: conversation)

    // Reverting a turn also reverts its edits.
    let next = try await journal.beginTurn("more", in: conversation)
    try await journal.edit(in: conversation, turn: next) { _ in [.prompt("nothing")] }
    try await journal.append(.response("three"), in: conversation, turn: next)
    #expect(try await seen() == ["nothing", "three"])
    let others = try await file.reader().history(of: conversation, without: next)
    #expect(others.map(\.entry.description) == ["one", "noted", "two"])
    try await journal.end(next, of: conversation, .cancelled, revertingTo: "a")
    #expect(try await seen() == ["one", "noted", "two"])
    // Nothing is deleted.
    #expect(try await file.reader().entries(of: conversation).count == 5)
    let changes = try await file.reader().stateChanges(of: conversation)
    #expect(changes.count { $0.change.history != nil } == 3)
  }

  @Test func `Records of a turn know the entry that they follow`() async throws {
    let file = try JournalFile()
    let conversation = try await file.open().playEverything("whole")
    let reader = try file.reader()
    let entries = try await reader.entries(of: conversation)
    func text(_ place: Int64) throws -> String {
      try #require(entries.first { $0.id == place }).entry.description
    }
    let changes = try await reader.stateChanges(of: conversation)
    let written = try #require(changes.first { !$0.change.properties.isEmpty })
    #expect(try text(written.afterEntry) == Transcript.Entry.output("pass").description)
    let context = try #require(changes.first { $0.change.context != nil })
    #expect(try text(context.afterEntry) == Transcript.Entry.output("ask").description)
    #expect(context.change.usage == .some)
    let deaths = try await reader.deaths(of: conversation)
    #expect(
      try deaths.map { try text($0.afterEntry) } == [entries[entries.count - 1].entry.description]
    )
  }
}
