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
    let open = try await source.beginTurn("again", in: conversation)
    try await source.append(.calls("risk"), in: conversation, turn: open)
    let question = ApprovalQuestion(callID: "risk", tool: "risk", arguments: "{}")
    let asked = try await source.append(
      [.askedApproval(question)],
      in: conversation,
      turn: open,
      agent: "b"
    )
    let approval = ApprovalDecision(denial: nil, by: .chat)
    try await source.append(
      [.answeredApproval(question: asked[0].id, approval)],
      in: conversation,
      turn: open
    )
    let answers = try await from.reader().approvals(of: open).map(\.answer)
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
      // It is marked once, after everything that the file says of it.
      let kinds = try await reader.facts(of: talk.id, turn: turn.id).map(\.event.kind)
      #expect(kinds.filter { $0 == .imported }.count == 1)
      #expect(kinds.last == .imported)
      // A person can still see that it was approved; only a coordinator does not go by it.
      #expect(try await reader.approvals(of: turn.id).map(\.answer) == answers, "\(name)")
    }
    // Where it came from, it is as it was.
    #expect(try await from.reader().turns(of: conversation).map(\.isImported) == [false, false])
  }
}
