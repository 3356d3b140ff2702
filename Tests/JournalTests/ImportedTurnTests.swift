import AgentKit
import Foundation
import Testing

@testable import Journal

struct `A turn that had no end in a file` {
  @Test func `is marked, and keeps all that the file says of it`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    let source = try from.open()
    // A turn that has an end comes before it.
    let (conversation, _) = try await source.play("one")
    let (open, _) = try await source.beginTurn(in: conversation, prompt: .prompt("again"))
    try await source.append(
      .calls("risk"),
      conversation: conversation,
      turn: open.id,
      agent: "b",
      run: "one-1"
    )
    let asked = try await source.beginApproval(
      conversation: conversation,
      turn: open.id,
      agent: "b",
      callID: "risk",
      tool: "risk",
      arguments: "{}"
    )
    _ = try await source.endApproval(asked.id, denial: nil, by: .chat)
    let answers = try await from.reader().approvals(of: open.id).map(\.answer)
    #expect(answers.map { $0?.by } == [.chat])
    let path = from.folder.appending(path: "one.jsonl").path
    try await from.reader().export("one", to: path)

    let target = try to.open()
    try await target.importSession(from: path)
    let copy = to.folder.appending(path: "copy.jsonl").path
    try await to.reader().export("one", to: copy)
    try await target.importSession(from: copy, as: "copy")
    let reader = try to.reader()
    #expect(try await reader.inspect().flaws == [])
    for name in ["one", "copy"] {
      let talk = try #require(try await reader.conversation(named: name))
      let turns = try await reader.turns(of: talk.id)
      #expect(turns.map(\.isImported) == [false, true], "\(name)")
      #expect(turns.map(\.exit) == [.answered, nil], "\(name)")
      let turn = try #require(turns.last)
      // A person can still see that it was approved; only a coordinator does not go by it.
      #expect(try await reader.approvals(of: turn.id).map(\.answer) == answers, "\(name)")
    }
    // Where it came from, it is as it was.
    #expect(try await from.reader().turns(of: conversation).map(\.isImported) == [false, false])
  }
}
