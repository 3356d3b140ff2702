import Coordination
import MCP
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `A turn through the MCP route` {
  @Test func `answers a call with the turn's answer and its figures`() async throws {
    let service = StubService(turn: MCPRequests.turn)
    try await MCPRequests.ask(service) { ask in
      let answer = try await ask.standalone("tools/call", MCPRequests.question, name: "ask_clerk")
      #expect(answer.status == 200)
      #expect(answer.type == "application/json")
      #expect(answer.result?["isError"]?.flag == false)
      #expect(answer.result?["content"]?.elements?.first?["text"]?.text == "yes")
      let structured = try #require(answer.result?["structuredContent"])
      #expect(structured["answer"]?.text == "yes")
      #expect(structured["agent"]?.text == "clerk")
      #expect(structured["exit"]?.text == "answered")
      #expect(structured["session"]?.text?.hasPrefix("mcp-") == true)
      #expect(structured["tokens"]?.jsonString == #"{"input": 0, "cached": 0, "output": 0}"#)
      #expect(structured["seconds"]?.number?.text == "0.5")
    }
    #expect(service.requests.last?.hasSuffix(": hello") == true)
  }

  @Test func `streams progress to a client that wants it, and the response last`() async throws {
    try await MCPRequests.ask { ask in
      let answer = try await ask.standalone(
        "tools/call",
        MCPRequests.question,
        name: "ask_clerk"
      )
      #expect(!answer.body.contains("progress"))
      let session = try await ask.initialize()
      let wanted = MCPRequests.question + #","_meta":{"progressToken":"t"}"#
      let told = try await ask(MCPRequests.call("tools/call", wanted), session)
      #expect(told.status == 200)
      #expect(told.type == "text/event-stream")
      let events = told.body.split(separator: "\n").filter { $0.hasPrefix("data: ") }
      #expect(events.count == 3, "\(told.body)")
      for (number, event) in events.dropLast().enumerated() {
        let message = try GeneratedContent(json: String(event.dropFirst(6)))
        #expect(message["method"]?.text == "notifications/progress")
        #expect(message["params"]?["progressToken"]?.text == "t")
        #expect(message["params"]?["progress"]?.integer == number + 1)
      }
      #expect(told.result?["isError"]?.flag == false)
    }
  }

  @Test(
    arguments: [
      (.cap("rounds"), "half", "cap", 2), (.cap("seconds"), nil, "cap", 1),
      (.refused("no"), nil, "refused", 1), (.failed("broken"), nil, "failed", 1),
      (.cancelled, nil, "cancelled", 1), (.answered, " ", "answered", 1),
    ] as [(TurnExit, String?, String, Int)]
  )
  func `calls a turn without a complete answer an error`(
    exit: TurnExit,
    text: String?,
    name: String,
    texts: Int
  ) async throws {
    var summary = MCPRequests.summary
    (summary.exit, summary.answer) = (exit, text)
    let turn: [TurnEvent] = [.accepted(turn: 1, conversation: "talk"), .ended(summary)]
    try await MCPRequests.ask(StubService(turn: turn)) { ask in
      let result = try await ask.standalone("tools/call", MCPRequests.question, name: "ask_clerk")
        .result
      #expect(result?["isError"]?.flag == true)
      #expect(result?["content"]?.elements?.count == texts)
      #expect(result?["structuredContent"]?["exit"]?.text == name)
    }
  }

  @Test func `tells the model what is wrong with a call, and the client what does not exist`()
    async throws
  {
    try await MCPRequests.ask { ask in
      for arguments in [
        "{}", #"{"prompt":" "}"#, #"{"prompt":7}"#, #"{"prompt":"a","caps":{"round":1}}"#,
        #"{"prompt":"a","caps":7}"#, #"{"prompt":"a","session":"\u0000"}"#,
        #"{"prompt":"a","agent":"clerk"}"#,
      ] {
        let call = #""name":"ask_clerk","arguments":\#(arguments)"#
        let answer = try await ask.standalone("tools/call", call, name: "ask_clerk")
        #expect(answer.result?["isError"]?.flag == true, "\(arguments)")
      }
      let unknown = try await ask.standalone("tools/call", #""name":"x""#, name: "x")
      #expect(unknown.status == 400 && unknown.code == -32602)
    }
    // What goes wrong on the way is told to the model, too.
    try await MCPRequests.ask(StubService(turn: [.accepted(turn: 1, conversation: "talk")])) {
      ask in
      let broken = try await ask.standalone("tools/call", MCPRequests.question, name: "ask_clerk")
      #expect(broken.result?["isError"]?.flag == true)
    }
  }

  @Test func `has a client ask a person between a call and its repetition`() async throws {
    var second = StubService.approval
    second.id = 8
    let turn: [TurnEvent] = [
      .accepted(turn: 1, conversation: "talk"), .approvalAsked(StubService.approval),
      .approvalAsked(second), .approvalAnswered(StubService.approval), .ended(MCPRequests.summary),
    ]
    let service = StubService(turn: turn)
    let forms = #"{"elicitation":{}}"#
    try await MCPRequests.ask(service) { ask in
      let first = try await ask.standalone(
        "tools/call",
        MCPRequests.question,
        name: "ask_clerk",
        capabilities: forms
      )
      #expect(first.result?["resultType"]?.text == "input_required")
      let form = first.result?["inputRequests"]?["request-7"]?["params"]
      #expect(form?["message"]?.text?.contains("'send' with {}") == true)
      let state = try #require(first.result?["requestState"]?.text)
      let answers =
        #","inputResponses":{"request-7":{"action":"accept","content":{"approve":true}}}"#
      let stolen = try await ask.standalone(
        "tools/call",
        #""name":"ask_chef","requestState":"\#(state)""#,
        name: "ask_chef",
        capabilities: forms
      )
      #expect(stolen.code == -32602)
      let repeated = MCPRequests.question + #","requestState":"\#(state)""# + answers
      let next = try await ask.standalone(
        "tools/call",
        repeated,
        name: "ask_clerk",
        capabilities: forms
      )
      #expect(service.requests.contains("answer 7: yes"))
      #expect(next.result?["inputRequests"]?["request-8"] != nil)
      let last = try await ask.standalone(
        "tools/call",
        MCPRequests.question + #","requestState":"\#(next.result?["requestState"]?.text ?? "")""#,
        name: "ask_clerk",
        capabilities: forms
      )
      #expect(last.result?["isError"]?.flag == false)
      #expect(!service.requests.contains { $0.hasPrefix("answer 8") })
      let again = try await ask.standalone(
        "tools/call",
        repeated,
        name: "ask_clerk",
        capabilities: forms
      )
      #expect(again.code == -32602)
    }
  }

  // MARK: Prompts and resources

  @Test func `has prompts of agents and sessions as resources`() async throws {
    try await MCPRequests.ask { ask in
      let prompts = try await ask.standalone("prompts/list").result?["prompts"]?.elements
      #expect(prompts?.first?["name"]?.text == "clerk")
      let prompt = try await ask.standalone(
        "prompts/get",
        #""name":"clerk","arguments":{"task":"count"}"#,
        name: "clerk"
      )
      let text = prompt.result?["messages"]?.elements?.first?["content"]?["text"]?.text
      #expect(text?.contains("ask_clerk") == true && text?.hasSuffix("count") == true)
      let resources = try await ask.standalone("resources/list").result?["resources"]?.elements
      #expect(resources?.first?["uri"]?.text == "orchestrator://session/talk")
      #expect(resources?.first?["mimeType"]?.text == "text/markdown")
      let templates = try await ask.standalone("resources/templates/list").result
      #expect(templates?["resourceTemplates"]?.elements?.count == 1)
      for uri in ["orchestrator://session/none", "orchestrator://session/", "file:///etc/passwd"] {
        let answer = try await ask.standalone("resources/read", #""uri":"\#(uri)""#, name: uri)
        #expect(answer.status == 400 && answer.code == -32602, "\(uri)")
      }
    }
  }
}
