import AgentKit
import Foundation

@testable import Journal

extension Journal {
  /// The facts that `play` writes.
  static let playedFacts = 19

  /// Plays a turn with everything that a session usually holds.
  ///
  /// That is a friend, a baton, a question to a person, an output ahead of its turn, a property and
  /// an edit of the history.
  ///
  /// - Returns: The session and its turn.
  @discardableResult
  func play(_ name: String) async throws -> (conversation: Int64, turn: Int64) {
    let (conversation, turn) = try await beginTalk(name)
    let run = "\(name)-1"
    try await beginRun(run, in: conversation)
    func say(_ events: Fact.Event...) async throws -> [Fact] {
      try await append(events, in: conversation, turn: turn, agent: "a", run: run)
    }
    _ = try await say(.recorded(RawEntry(.calls("ask", "pass")), .some))
    let friend = try await phone("title", call: "ask", of: conversation, turn: turn)
    try await append(.response("A title"), in: friend.conversation, turn: friend.turn, run: run)
    try await end(friend.turn, of: friend.conversation)
    let asked = try await say(
      .askedApproval(ApprovalQuestion(callID: "pass", tool: "pass_baton", arguments: "{}"))
    )
    _ = try await say(
      .answeredApproval(question: asked[0].id, ApprovalDecision(denial: nil, by: .chat)),
      .returnedEarly(RawEntry(.output("pass"))),
      .recorded(RawEntry(.output("ask")), nil),
      .passedBaton(BatonPass(from: "a", to: "b", callID: "pass")),
      .recorded(RawEntry(.output("pass")), nil)
    )
    let history = try await JournalReader(self).history(of: conversation).map(\.entry)
    let edit = HistoryEdit(from: history, to: Array(history.dropFirst()))
    _ = try await say(
      .changedState(StateChange(properties: ["mood": "\"good\""], history: edit)),
      .recorded(RawEntry(.response("done, \(name)")), nil)
    )
    try await end(turn, of: conversation)
    try await endRun(run, in: conversation)
    return (conversation, turn)
  }

  /// Plays a session with every kind of fact.
  ///
  /// It consists of what `play` does, a reverted turn that reached a cap, and a turn in which a
  /// worker and two coordinators ended.
  @discardableResult
  func playEverything(_ name: String) async throws -> Int64 {
    let (conversation, _) = try await play(name)
    let capped = try await beginTurn(
      in: conversation,
      prompt: RawEntry(.prompt("one")),
      caps: "{\"rounds\":1}",
      options: TurnOptions(instructions: "Be \"brief\".", seed: 7, stop: ["\n"]),
      substitution: BatonPass(from: "b", to: "a", callID: nil)
    ).turn.id
    let run = "\(name)-2"
    try await beginRun(run, in: conversation, model: "pocket.gguf", at: 2000)
    func happen(in turn: Int64, _ events: Fact.Event...) async throws {
      try await append(events, in: conversation, turn: turn, agent: "a", run: run)
    }
    try await happen(in: capped, .recorded(RawEntry(.calls("ask")), .some))
    let friend = try await phone("title", call: "ask", of: conversation, turn: capped)
    try await end(friend.turn, of: friend.conversation)
    let history = try await JournalReader(self).history(of: conversation).map(\.entry)
    let context = ContextReport(
      exchanges: 1,
      cutOutputs: 0,
      tokensBefore: 900,
      tokensAfter: 400,
      window: 1024,
      isSummarized: true,
      isShared: false
    )
    try await happen(
      in: capped,
      .friendEnded(
        FriendEnd(
          conversation: friend.conversation,
          answer: .answered("A title"),
          usage: .some,
          budget: "{}"
        )
      ),
      .recorded(RawEntry(.output("ask")), nil),
      .changedState(
        StateChange(
          properties: ["mood": "\"bad\""],
          history: HistoryEdit(from: history, to: Array(history.dropLast())),
          context: context,
          usage: .some
        )
      ),
      .changedState(StateChange(properties: [:], usage: .some)),
      .ended(.cap("rounds"), revertingTo: "b")
    )
    try await endRun(run, in: conversation, cause: "unable")
    let open = try await beginTurn("two", in: conversation)
    let other = "\(name)-3"
    try await beginRun(other, in: conversation, at: 3000)
    try await append(.calls("risk"), in: conversation, turn: open, run: other, request: .some)
    try await happen(
      in: open,
      .askedApproval(ApprovalQuestion(callID: "risk", tool: "risk", arguments: "{}")),
      .deliveredApproval(callID: "risk"),
      .calledServer(
        ServerCall(
          callID: "risk",
          server: "bank",
          tool: "risk",
          request: .init(id: 7, version: "2025-11-25")
        )
      ),
      .askedClient(calls: ["risk"]),
      .answeredClient([ClientToolOutput(callID: "risk", text: "done")], request: "r"),
      .abandonedRequest(tokens: 3)
    )
    let death = WorkerDeath(
      cause: "it was killed by signal 9",
      lastLines: ["one", "two"],
      tokensOut: 11,
      partialText: "It had beg",
      tokensLost: 2
    )
    try await append([.died(death)], in: conversation, turn: open, agent: "a", run: other)
    for seconds in [1.5, 2] {
      try await append([.resumed(spent: seconds)], in: conversation, turn: open)
    }
    try await append([.leftOpen], in: conversation, turn: open)
    return conversation
  }
}
