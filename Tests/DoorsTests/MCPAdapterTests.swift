import Coordination
import Foundation
import Journal
import MCP
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors

@Suite struct `An agent as a tool` {
  @Test(arguments: [
    ("clerk", "ask_clerk"), ("data-clerk_2", "ask_data-clerk_2"),
    (String(repeating: "a", count: 60), "ask_" + String(repeating: "a", count: 60)),
  ])
  func `has the agent's name where that can be one`(name: String, tool: String) {
    #expect(AgentSummary(name: name, description: "").toolName == tool)
  }

  @Test func `has a name of its own where the agent's cannot be one`() {
    let names = [
      "günther", "gönther", String(repeating: "a", count: 61), String(repeating: "a", count: 62),
      "日本",
    ]
    let tools = names.map { AgentSummary(name: $0, description: "").toolName }
    #expect(Set(tools).count == tools.count)
    for tool in tools {
      #expect(tool.wholeMatch(of: /ask_[A-Za-z0-9_-]{1,60}/) != nil, "\(tool)")
    }
    #expect(tools == names.map { AgentSummary(name: $0, description: "").toolName })
  }

  @Test(
    arguments: [
      ([], false, false), ([.reading("/notes")], false, false), ([.network], false, true),
      ([.writing("/notes"), .network], true, true), ([.running("/bin/sh")], true, false),
    ] as [([Permission], Bool, Bool)]
  )
  func `says what it may do by what its turns may reach`(
    permissions: [Permission],
    isDestructive: Bool,
    isOpen: Bool
  ) {
    let hints = AgentSummary(name: "a", description: "", permissions: permissions).tool.hints
    #expect(hints.isReadOnly == false)
    #expect(hints.isDestructive == isDestructive)
    #expect(hints.isOpenWorld == isOpen)
  }

  @Test func `takes caps and a session`() throws {
    let arguments = try GeneratedContent(
      json: #"{"prompt": "hello", "session": "talk", "caps": {"rounds": 2, "policy": "fail"}}"#
    )
    let question = try AgentQuestion(arguments)
    #expect(question.prompt == "hello")
    #expect(question.session == "talk")
    #expect(question.caps?.rounds == 2)
    #expect(question.caps?.policy == .fail)
    let bare = try GeneratedContent(json: #"{"prompt": "hello", "session": null, "caps": null}"#)
    #expect(try AgentQuestion(bare).session != AgentQuestion(bare).session)
    #expect(try AgentQuestion(bare).caps == nil)
  }
}

@Suite struct `A form for an approval` {
  @Test(arguments: [
    (#"{"action": "accept", "content": {"approve": true}}"#, true, nil),
    (#"{"action": "accept", "content": {"approve": true, "reason": "x"}}"#, true, nil),
    (#"{"action": "accept", "content": {"approve": "true"}}"#, true, ""),
    (#"{"action": "accept", "content": {"approve": 1}}"#, true, ""),
    (#"{"action": "accept", "content": {"approve": false, "reason": "late"}}"#, true, "late"),
    (#"{"action": "accept"}"#, true, ""),
    (#"{"action": "decline"}"#, true, ApprovalRecord.plainDenial),
    (#"{"action": "cancel"}"#, false, nil), ("{}", false, nil), ("7", false, nil),
  ])
  func `approves by its own word only`(json: String, decides: Bool, denial: String?) throws {
    let answer = ApprovalAnswer(
      StubService.approval,
      ElicitationAnswer(try GeneratedContent(json: json))
    )
    #expect((answer != nil) == decides)
    #expect(answer?.denial == denial)
  }

  @Test func `hides nothing of the call`() {
    var record = StubService.approval
    record.arguments = "{\"path\": \"a\u{202E}b\"}"
    #expect(record.elicitation.message.contains(#"a\u{202E}b"#))
  }

  @Test func `passes on what a server wants to know, and what it is told`() throws {
    let schema =
      #"{"type": "object", "properties": {"branch": {"type": "string"}}, "required": ["branch"]}"#
    var record = StubService.approval
    record.form = .init(message: "Which\u{202E} one?", schema: try JSONSchema(json: schema))
    #expect(record.elicitation.message.hasSuffix(#"asks: Which\u{202E} one?"#))
    #expect(record.elicitation.fields.map(\.name) == ["branch"])
    #expect(record.elicitation.required == ["branch"])
    let content = try GeneratedContent(json: #"{"branch": "main"}"#)
    let answer = ApprovalAnswer(record, .accepted(content))
    #expect(answer?.content == #"{"branch": "main"}"#)
    #expect(answer?.denial == nil)
    #expect(ApprovalAnswer(record, .declined)?.denial == ApprovalRecord.plainDenial)
    #expect(ApprovalAnswer(record, .cancelled) == nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct `Turns that wait for a client` {
  private func turn() -> (AgentTurn, isDropped: AsyncStream<Void>) {
    let (events, continuation) = AsyncThrowingStream<TurnEvent, any Error>.makeStream()
    let (dropped, drop) = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in drop.finish() }
    return (AgentTurn(tool: "ask_clerk", session: "s", events: EventStream(events)), dropped)
  }

  @Test func `are given back once, and to their own call`() {
    let parked = ParkedTurns()
    let key = parked.park(turn().0)
    #expect(parked.take(key, of: "ask_chef") == nil)
    #expect(parked.take("guess", of: "ask_clerk") == nil)
    #expect(parked.take(key, of: "ask_clerk") != nil)
    #expect(parked.take(key, of: "ask_clerk") == nil)
  }

  @Test func `are dropped when they wait too long`() async {
    let parked = ParkedTurns(patience: .milliseconds(1))
    let (key, dropped) = {
      let (turn, dropped) = turn()
      return (parked.park(turn), dropped)
    }()
    for await _ in dropped {}
    #expect(parked.take(key, of: "ask_clerk") == nil)
  }

  @Test func `are dropped when there are too many, the oldest first`() async {
    let parked = ParkedTurns()
    let (first, dropped) = {
      let (turn, dropped) = turn()
      return (parked.park(turn), dropped)
    }()
    let keys = (0..<ParkedTurns.maximum).map { _ in parked.park(turn().0) }
    for await _ in dropped {}
    #expect(parked.take(first, of: "ask_clerk") == nil)
    #expect(keys.allSatisfy { parked.take($0, of: "ask_clerk") != nil })
  }
}

@Suite(.timeLimit(.minutes(1))) struct `Reports of a turn` {
  @Test func `go on while nothing happens, as long as the client listens`() async throws {
    let service = StubService(turn: [.accepted(turn: 1, conversation: "s")], ends: false)
    let connection = MCPConnection(AgentServer(beat: .milliseconds(1)) { service })
    let body = MCPRequests.standalone(
      "tools/call",
      MCPRequests.question
    ).replacing(#""_meta":{"#, with: #""_meta":{"progressToken":7,"#)
    let message = try JSONRPCMessage(GeneratedContent(json: body))
    guard case .exchange(let messages) = connection.receive(message) else {
      Issue.record("The call is not performed.")
      return
    }
    var reports: [String] = []
    for await message in messages {
      reports.append(message.content["params"]?["message"]?.text ?? "")
      if reports.count == 4 { break }
    }
    #expect(reports.first == "the prompt is accepted")
    #expect(reports.dropFirst().allSatisfy { $0 == "working for 0 s" }, "\(reports)")
    connection.close()
    #expect(await service.cancellations.first { _ in true } != nil)
  }

  @Test func `tell of growing text once a second at most`() {
    var reports = TurnReports()
    let start = ContinuousClock.now
    func grow(_ text: String, after seconds: Double) -> String? {
      let change = TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: text)
      return reports.line(
        for: .text(agent: "clerk", change),
        at: start + .seconds(seconds)
      )
    }
    #expect(grow("a", after: 0) == "clerk answers, 1 bytes so far")
    #expect(grow("ab", after: 0.5) == nil)
    #expect(grow("abc", after: 1) == "clerk answers, 3 bytes so far")
  }

  @Test func `tell of batons and friends`() {
    var reports = TurnReports()
    let now = ContinuousClock.now
    #expect(
      reports.line(for: .batonPassed(from: "a", to: "b"), at: now) == "baton: a → b"
    )
    #expect(
      reports.line(for: .friendPhoned(agent: "c", pid: 1, run: "r"), at: now)
        == "friend: c is asked"
    )
    #expect(reports.line(for: .said(agent: "a", text: "hm"), at: now) == nil)
  }
}
