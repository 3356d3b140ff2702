import AgentKit
import Foundation

@testable import Journal

extension Journal {
  /// Plays a turn with everything that a session can hold.
  ///
  /// That is a friend, a baton, a question to a person, an output ahead of its turn, a property and
  /// an edit of the history.
  ///
  /// - Returns: The session and its turn.
  @discardableResult
  func play(_ name: String) async throws -> (conversation: Int64, turn: Int64) {
    let (conversation, turn) = try await beginTalk(name)
    let run = RunRecord("\(name)-1", conversation: conversation, at: 1000)
    try await beginRun(run)
    @discardableResult
    func say(
      _ entry: Transcript.Entry,
      in place: Int64 = conversation,
      turn: Int64 = turn
    ) async throws -> EntryRecord {
      try await append(entry, conversation: place, turn: turn, agent: "a", run: run.id)
    }
    try await say(.calls("ask", "pass"))
    let (friend, friendTurn) = try await beginFriend(
      "title",
      prompt: .prompt("a title?"),
      turn: turn,
      callID: "ask"
    )
    try await say(.response("A title"), in: friend.id, turn: friendTurn.id)
    try await endTurn(friendTurn.id, exit: .answered, revertingTo: nil)
    let approval = try await beginApproval(
      conversation: conversation,
      turn: turn,
      agent: "a",
      callID: "pass",
      tool: "pass_baton",
      arguments: "{}"
    )
    _ = try await endApproval(approval.id, denial: nil, by: .chat)
    try await keepEarly(
      EntryPayload(.output("pass")),
      conversation: conversation,
      turn: turn,
      agent: "a"
    )
    try await say(.output("ask"))
    try await passBaton(in: conversation, turn: turn, from: "a", to: "b", callID: "pass")
    try await say(.output("pass"))
    let history = try await JournalReader(self).history(of: conversation)
    try await keepState(
      properties: ["mood": "\"good\""],
      edit: HistoryEdit(from: history, to: Array(history.dropFirst())),
      conversation: conversation,
      turn: turn,
      agent: "b"
    )
    try await say(.response("done, \(name)"))
    try await endTurn(turn, exit: .answered, revertingTo: nil)
    try await endRun(run.id, outcome: "finished")
    return (conversation, turn)
  }
}

extension Transcript.Entry {
  static func calls(_ ids: String...) -> Self {
    .toolCalls(
      .init(ids.map { .init(id: $0, toolName: $0, arguments: GeneratedContent(properties: [:])) })
    )
  }

  static func output(_ id: String) -> Self {
    .toolOutput(.init(id: id, toolName: id, segments: [.text(.init(content: "so"))]))
  }
}
