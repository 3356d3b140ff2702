import MCP
import Testing
import Transcripts

@Suite struct `A server's session` {
  private static let identity = ServerIdentity(name: "test", version: "1", instructions: "Ask.")
  private static let envelope =
    #""io.modelcontextprotocol/protocolVersion": "2026-07-28","#
    + #" "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}"#
  private static let information =
    #""_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}}"#

  private var session = ServerSession(identity)

  private mutating func receive(_ line: String, headers: MirroredHeaders? = nil) throws
    -> ServerSession.Step
  {
    session.receive(try JSONRPCMessage(GeneratedContent(json: line)), headers: headers)
  }

  /// Sends a line, and returns the line that is sent back at once; `nil` for none.
  private mutating func answer(_ line: String, headers: MirroredHeaders? = nil) throws -> String? {
    guard case .send(let message) = try receive(line, headers: headers) else { return nil }
    return message.content.jsonString
  }

  /// Sends the line of a request that is to be performed.
  private mutating func begin(_ line: String) throws -> ServerSession.Running {
    guard case .perform(let running, _, _) = try receive(line) else {
      throw JSONRPCError(.internalError, "The request is not performed.")
    }
    return running
  }

  private mutating func code(_ line: String, headers: MirroredHeaders? = nil) throws -> Int? {
    guard case .send(.failure(_, let error)) = try receive(line, headers: headers) else {
      return nil
    }
    return error.code.rawValue
  }

  private mutating func initialize(
    _ version: String = "2025-11-25",
    capabilities: String = "{}"
  ) throws -> String? {
    try answer(
      #"{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "#
        + #""\#(version)", "capabilities": \#(capabilities), "clientInfo": {"name": "c"}}}"#
    )
  }

  private static func call(_ id: String, _ method: String, _ more: String = "") -> String {
    #"{"jsonrpc": "2.0", "id": \#(id), "method": "\#(method)", "params": {\#(more)}}"#
  }

  private static func standalone(_ id: String, _ method: String, _ more: String = "") -> String {
    call(id, method, #""_meta": {\#(envelope)}"# + (more.isEmpty ? "" : ", \(more)"))
  }

  // MARK: The handshake

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-11-25"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"),
    ("1.0", "2025-11-25"),
  ])
  mutating func `answers a handshake with the version that both speak`(
    wanted: String,
    spoken: String
  ) throws {
    #expect(
      try initialize(wanted)
        == #"{"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "\#(spoken)", "#
        + #""capabilities": {"tools": {}, "prompts": {}, "resources": {}}, "#
        + #""serverInfo": {"name": "test", "version": "1"}, "instructions": "Ask."}}"#
    )
  }

  @Test mutating func `answers a ping before and after the handshake`() throws {
    let ping = #"{"jsonrpc": "2.0", "id": "p", "method": "ping"}"#
    #expect(try answer(ping) == #"{"jsonrpc": "2.0", "id": "p", "result": {}}"#)
    _ = try initialize()
    #expect(try answer(ping) == #"{"jsonrpc": "2.0", "id": "p", "result": {}}"#)
  }

  @Test mutating func `refuses requests of no era until the handshake`() throws {
    #expect(try code(Self.call("1", "tools/list")) == -32602)
    _ = try initialize()
    #expect(
      try receive(#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#) == .nothing
    )
    guard case .perform(_, .listTools(nil), let context) = try receive(Self.call("1", "tools/list"))
    else {
      Issue.record("The request is not performed.")
      return
    }
    #expect(context.version == .november2025)
    #expect(context.progressToken == nil)
  }

  // MARK: Requests that stand alone

  @Test mutating func `is discovered, and still accepts a handshake`() throws {
    #expect(
      try answer(Self.standalone("1", "server/discover"))
        == #"{"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "#
        + #""supportedVersions": ["2026-07-28"], "#
        + #""capabilities": {"tools": {}, "prompts": {}, "#
        + #""resources": {"listChanged": true, "subscribe": true}}, "#
        + #""instructions": "Ask.", "ttlMs": 0, "cacheScope": "private", \#(Self.information)}}"#
    )
    #expect(try initialize()?.contains("2025-11-25") == true)
  }

  @Test(arguments: [
    (#""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}"#, -32602),
    (#""_meta": {"io.modelcontextprotocol/clientCapabilities": {}}"#, -32602),
    (
      #""_meta": {"io.modelcontextprotocol/protocolVersion": 2, "#
        + #""io.modelcontextprotocol/clientCapabilities": {}}"#, -32602
    ),
    (
      #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "#
        + #""io.modelcontextprotocol/clientCapabilities": 7}"#, -32602
    ),
    (
      #""_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01", "#
        + #""io.modelcontextprotocol/clientCapabilities": {}}"#, -32022
    ),
    (
      #""_meta": {"io.modelcontextprotocol/protocolVersion": "2025-11-25", "#
        + #""io.modelcontextprotocol/clientCapabilities": {}}"#, -32022
    ),
  ])
  mutating func `refuses an envelope that is incomplete or of another version`(
    parameters: String,
    code: Int
  ) throws {
    #expect(try self.code(Self.call("1", "tools/list", parameters)) == code)
  }

  @Test mutating func `names the versions that it speaks`() throws {
    let line = Self.standalone("1", "tools/list").replacing("2026-07-28", with: "2099-01-01")
    guard case .send(.failure(_, let error)) = try receive(line) else {
      Issue.record("The version is accepted.")
      return
    }
    #expect(
      error.data?.jsonString == #"{"supported": ["2026-07-28"], "requested": "2099-01-01"}"#
    )
  }

  @Test(arguments: ["initialize", "ping", "tools/guess", "logging/setLevel"])
  mutating func `knows no method that its era does not have`(method: String) throws {
    #expect(try code(Self.standalone("1", method)) == -32601)
  }

  // MARK: Headers

  @Test(
    arguments: [
      (MirroredHeaders(version: "2026-07-28", method: "tools/call", name: "ask_clerk"), nil),
      (
        MirroredHeaders(
          version: "2026-07-28",
          method: "tools/call",
          name: "=?base64?YXNrX2NsZXJr?="
        ), nil
      ),
      (MirroredHeaders(version: "2026-07-28", method: nil, name: "ask_clerk"), -32020),
      (MirroredHeaders(version: "2026-07-28", method: "tools/list", name: "ask_clerk"), -32020),
      (MirroredHeaders(version: "2026-07-28", method: "tools/call", name: nil), -32020),
      (MirroredHeaders(version: "2026-07-28", method: "tools/call", name: "ask_chef"), -32020),
      (
        MirroredHeaders(version: "2026-07-28", method: "tools/call", name: "=?base64?Y?="), -32020
      ),
      (MirroredHeaders(version: nil, method: "tools/call", name: "ask_clerk"), -32020),
      (MirroredHeaders(version: "2025-11-25", method: "tools/call", name: "ask_clerk"), -32020),
      (MirroredHeaders(version: "2099-01-01", method: "tools/call", name: "ask_clerk"), -32020),
    ] as [(MirroredHeaders, Int?)]
  )
  mutating func `refuses headers that differ from the body`(
    headers: MirroredHeaders,
    code: Int?
  ) throws {
    let line = Self.standalone("1", "tools/call", #""name": "ask_clerk""#)
    #expect(try self.code(line, headers: headers) == code)
  }

  @Test mutating func `takes a header of an unknown version for a request that stands alone`()
    throws
  {
    _ = try initialize()
    let headers = MirroredHeaders(version: "2099-01-01", method: "tools/list", name: nil)
    #expect(try code(Self.call("1", "tools/list"), headers: headers) == -32602)
    let old = MirroredHeaders(version: "2025-11-25", method: nil, name: nil)
    #expect(try code(Self.call("1", "tools/list"), headers: old) == nil)
  }

  // MARK: Answers

  private static let tool = OfferedTool(
    name: "ask_clerk",
    title: "clerk",
    description: "Asks.",
    input: .members([("type", "object".json)]),
    output: .members([("type", "object".json)]),
    hints: .init(isReadOnly: false, isDestructive: false, isIdempotent: false, isOpenWorld: true)
  )

  @Test mutating func `leaves out what an old version does not know`() throws {
    func lists(_ version: String) throws -> String? {
      var copy = self
      _ = try copy.initialize(version)
      let running = try copy.begin(Self.call("1", "tools/list"))
      return copy.session.finish(running, with: .success(.tools([Self.tool])))?
        .content.jsonString
    }
    #expect(
      try lists("2024-11-05")
        == #"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "ask_clerk", "#
        + #""description": "Asks.", "inputSchema": {"type": "object"}}]}}"#
    )
    let hints =
      #""annotations": {"title": "clerk", "readOnlyHint": false, "destructiveHint": false, "#
      + #""idempotentHint": false, "openWorldHint": true}"#
    #expect(
      try lists("2025-06-18")
        == #"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "ask_clerk", "#
        + #""title": "clerk", "description": "Asks.", "inputSchema": {"type": "object"}, "#
        + #""outputSchema": {"type": "object"}, \#(hints)}]}}"#
    )
  }

  @Test mutating func `says of a result that stands alone what it is, and who made it`() throws {
    let running = try begin(Self.standalone("1", "tools/call", #""name": "ask_clerk""#))
    let result = ToolResult(
      texts: ["yes"],
      structured: .members([("answer", "yes".json)]),
      isError: false
    )
    #expect(
      session.finish(running, with: .success(.toolResult(result)))?.content.jsonString
        == #"{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "yes"}], "#
        + #""structuredContent": {"answer": "yes"}, "isError": false, "resultType": "complete", "#
        + #"\#(Self.information)}}"#
    )
    #expect(session.finish(running, with: .success(.toolResult(result))) == nil)
  }

  @Test mutating func `requires input of a client that can ask a person`() throws {
    let step = try receive(Self.standalone("1", "tools/call", #""name": "ask_clerk""#))
    guard case .perform(let running, _, let context) = step else {
      Issue.record("The call is not performed.")
      return
    }
    #expect(context.canElicit)
    let form = Elicitation(
      message: "May it?",
      fields: [("approve", .members([("type", "boolean".json)]))],
      required: ["approve"]
    )
    let reply = ServerReply.inputRequired([("a", form)], state: "s")
    #expect(
      session.finish(running, with: .success(reply))?.content.jsonString
        == #"{"jsonrpc": "2.0", "id": 1, "result": {"inputRequests": {"a": {"method": "#
        + #""elicitation/create", "params": {"mode": "form", "message": "May it?", "#
        + #""requestedSchema": {"type": "object", "properties": {"approve": {"type": "boolean"}}, "#
        + #""required": ["approve"]}}}}, "requestState": "s", "resultType": "input_required", "#
        + #"\#(Self.information)}}"#
    )
    let repeated = Self.standalone(
      "2",
      "tools/call",
      #""name": "ask_clerk", "requestState": "s", "inputResponses": {"a": {"action": "accept", "#
        + #""content": {"approve": true}}, "b": {"action": "decline"}, "c": {"action": "hm"}}"#
    )
    guard case .perform(_, .callTool(let call), _) = try receive(repeated) else {
      Issue.record("The call is not performed.")
      return
    }
    #expect(call.state == "s")
    #expect(call.inputs["a"] == .accepted(.members([("approve", true.json)])))
    #expect(call.inputs["b"] == .declined)
    #expect(call.inputs["c"] == .cancelled)
  }

  // MARK: Progress, cancellation, questions

  @Test mutating func `reports progress to a client that wants it, ever further`() throws {
    _ = try initialize()
    let told = try begin(
      Self.call("1", "tools/call", #""name": "a", "_meta": {"progressToken": "t"}"#)
    )
    let silent = try begin(Self.call("2", "tools/call", #""name": "a""#))
    for number in 1...2 {
      #expect(
        session.report("on", of: told)?.content.jsonString
          == #"{"jsonrpc": "2.0", "method": "notifications/progress", "params": "#
          + #"{"progressToken": "t", "progress": \#(number), "message": "on"}}"#
      )
    }
    #expect(session.report("on", of: silent) == nil)
    _ = session.finish(told, with: .success(.tools([])))
    #expect(session.report("on", of: told) == nil)
  }

  @Test mutating func `tells a client of changes under the request that listens for them`() throws {
    _ = try initialize()
    let parameters =
      #""notifications": {"resourcesListChanged": true, "toolsListChanged": true, "#
      + #""resourceSubscriptions": ["a", 7]}"#
    #expect(try code(Self.call("1", "subscriptions/listen", parameters)) == -32601)
    let line = Self.standalone(#""l""#, "subscriptions/listen", parameters)
    guard case .perform(let running, .listen(let subscription), _) = try receive(line) else {
      Issue.record("The request is not performed.")
      return
    }
    #expect(
      subscription.content.jsonString
        == #"{"resourcesListChanged": true, "resourceSubscriptions": ["a"]}"#
    )
    #expect(
      session.notify("changed", [("uri", "a".json)], of: running)?.content.jsonString
        == #"{"jsonrpc": "2.0", "method": "changed", "params": {"uri": "a", "_meta": "#
        + #"{"io.modelcontextprotocol/subscriptionId": "l"}}}"#
    )
    #expect(
      session.finish(running, with: .success(.listened))?.content.jsonString
        == #"{"jsonrpc": "2.0", "id": "l", "result": {"resultType": "complete", "_meta": "#
        + #"{"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}, "#
        + #""io.modelcontextprotocol/subscriptionId": "l"}}}"#
    )
    #expect(session.notify("changed", [], of: running) == nil)
  }

  @Test mutating func `answers no request that was cancelled`() throws {
    _ = try initialize()
    let line = Self.call(#""x""#, "tools/call", #""name": "a""#)
    let running = try begin(line)
    let cancel = { (id: String) in
      #"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": \#(id)}}"#
    }
    #expect(try receive(cancel("7")) == .nothing)
    #expect(try receive(cancel(#""x""#)) == .cancel(running))
    #expect(try receive(cancel(#""x""#)) == .nothing)
    // The answer to a request that was cancelled is not that to another of the same id.
    let next = try begin(line)
    #expect(session.finish(running, with: .success(.tools([]))) == nil)
    #expect(session.finish(next, with: .success(.tools([]))) != nil)
  }

  @Test mutating func `answers no two requests of one id at once, and not too many`() throws {
    _ = try initialize()
    let running = try begin(Self.call("1", "tools/list"))
    #expect(try code(Self.call("1", "tools/list")) == -32600)
    #expect(session.finish(running, with: .success(.tools([]))) != nil)
    for id in 1...ServerSession.maximumRequests {
      #expect(try code(Self.call("\(id)", "tools/list")) == nil)
    }
    #expect(try code(Self.call("0", "tools/list")) == -32000)
  }

  @Test mutating func `asks a client with a handshake, and takes a question back`() throws {
    let form = Elicitation(message: "May it?", fields: [], required: [])
    _ = try initialize(capabilities: #"{"elicitation": {"form": {}}}"#)
    let running = try begin(Self.call("1", "tools/call", #""name": "a""#))
    guard let first = session.ask(form, for: running),
      let second = session.ask(form, for: running)
    else {
      Issue.record("The client is not asked.")
      return
    }
    #expect(first.question != second.question)
    guard case .request(.string(let id), let call) = first.message else {
      Issue.record("A question is no request.")
      return
    }
    #expect(call.method == "elicitation/create")
    let answer = #"{"jsonrpc": "2.0", "id": "\#(id)", "result": {"action": "decline"}}"#
    #expect(try receive(answer) == .answered(question: first.question, .declined))
    #expect(try receive(answer) == .nothing)
    #expect(session.withdraw(question: first.question) == nil)
    #expect(session.withdraw(question: second.question) != nil)
    _ = session.finish(running, with: .success(.tools([])))
    #expect(session.ask(form, for: running) == nil)
  }

  @Test(arguments: ["{}", #"{"elicitation": {"url": {}}}"#, #"{"elicitation": true}"#])
  mutating func `asks no client that cannot show a form`(capabilities: String) throws {
    _ = try initialize(capabilities: capabilities)
    let running = try begin(Self.call("1", "tools/call", #""name": "a""#))
    let form = Elicitation(message: "May it?", fields: [], required: [])
    #expect(session.ask(form, for: running) == nil)
  }

  @Test(arguments: [
    ("tools/call", ""), ("tools/call", #""name": 7"#),
    ("tools/call", #""name": "a", "arguments": []"#),
    ("prompts/get", ""), ("prompts/get", #""name": "a", "arguments": {"task": 7}"#),
    ("resources/read", ""), ("tools/list", #""cursor": 7"#),
  ])
  mutating func `refuses parameters that a method does not take`(
    method: String,
    parameters: String
  ) throws {
    _ = try initialize()
    #expect(try code(Self.call("1", method, parameters)) == -32602)
  }
}
