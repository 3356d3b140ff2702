import Testing
import Transcripts

@testable import MCP

/// A connection whose other side is played by literal lines.
private struct Connection {
  var client: MCPClient
  /// What the client wants done that is no message.
  var effects: [MCPClient.Effect] = []
  private(set) var sent: [String] = []

  init(_ settings: MCPClient.Settings = .init()) {
    client = MCPClient(settings)
    take(client.start())
  }

  mutating func take(_ new: [MCPClient.Effect]) {
    for effect in new {
      if case .send(let message) = effect {
        sent.append(String(String(decoding: message.line, as: UTF8.self).dropLast()))
      } else {
        effects.append(effect)
      }
    }
  }

  mutating func receive(_ line: String) throws {
    var decoder = JSONRPCLineDecoder()
    decoder.append((line + "\n").utf8)
    take(client.receive(try #require(try decoder.next()).get()))
  }

  /// The message that was sent last, as JSON.
  var last: GeneratedContent {
    get throws { try GeneratedContent(json: try #require(sent.last)) }
  }

  mutating func takeEffects() -> [MCPClient.Effect] {
    defer { effects = [] }
    return effects
  }

  var outcomes: [MCPCallOutcome] {
    effects.compactMap { if case .finished(_, _, let outcome) = $0 { outcome } else { nil } }
  }

  var listed: [[String]] {
    effects.compactMap { if case .listed(let tools) = $0 { tools.map(\.name) } else { nil } }
  }

  /// A connection that has begun in the old way, with one tool.
  static func begun(_ settings: MCPClient.Settings = .init()) throws -> Connection {
    var connection = Connection(settings)
    try connection.receive(
      #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters"}}"#
    )
    try connection.receive(Lines.initialized(2))
    try connection.receive(Lines.tools(3, "log"))
    connection.effects = []
    return connection
  }
}

private enum Lines {
  static func initialized(_ id: Int, version: String = "2025-11-25") -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"result":{"protocolVersion":"\(version)",\
    "capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"git","version":"1"}}}
    """
  }

  static func discovered(_ id: Int) -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"result":{"resultType":"complete",\
    "supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,\
    "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}}
    """
  }

  static func progress(_ done: Int, _ more: String = "") -> String {
    #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4,"#
      + #""progress":\#(done)\#(more)}}"#
  }

  static func tools(_ id: Int, _ names: String..., cursor: String? = nil) -> String {
    let tools = names.map { #"{"name":"\#($0)","inputSchema":{"type":"object"}}"# }
    let next = cursor.map { #","nextCursor":"\#($0)""# } ?? ""
    return """
      {"jsonrpc":"2.0","id":\(id),"result":{"tools":[\(tools.joined(separator: ","))]\(next)}}
      """
  }
}

struct `A client of an MCP server` {
  @Test func `begins with a server of the new era by one request`() throws {
    var connection = Connection()
    #expect(try connection.last["method"]?.text == "server/discover")
    let meta = try connection.last["params"]?["_meta"]
    #expect(meta?[MetaKey.protocolVersion]?.text == "2026-07-28")
    #expect(meta?[MetaKey.clientCapabilities]?["elicitation"]?["form"]?.members?.isEmpty == true)
    try connection.receive(Lines.discovered(1))
    #expect(connection.client.session?.version == .july2026)
    #expect(connection.client.session?.name == "new")
    #expect(connection.sent.count == 3)
    #expect(connection.sent[1].contains("subscriptions/listen"))
    #expect(connection.sent[2].contains("tools/list"))
    try connection.receive(Lines.tools(3, "b", "a"))
    #expect(connection.listed == [["a", "b"]])
  }

  @Test func `falls back to the handshake on any error of the probe`() throws {
    var connection = Connection()
    try connection.receive(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}"#)
    #expect(try connection.last["method"]?.text == "initialize")
    #expect(try connection.last["params"]?["protocolVersion"]?.text == "2025-11-25")
    try connection.receive(Lines.initialized(2, version: "2024-11-05"))
    #expect(connection.sent[2].contains("notifications/initialized"))
    #expect(connection.sent[3].contains("tools/list"))
    #expect(connection.client.session?.version == .november2024)
    // Requests of this era carry nothing that only the other one knows.
    #expect(!connection.sent[3].contains("_meta"))
  }

  @Test func `falls back to the handshake when the probe is not answered`() throws {
    var connection = Connection()
    #expect(connection.effects.contains(.start(.probe, after: .seconds(2))))
    connection.take(connection.client.fired(.probe))
    #expect(try connection.last["method"]?.text == "initialize")
    try connection.receive(Lines.initialized(2))
    #expect(connection.client.session?.version == .november2025)
  }

  @Test func `returns to the new era when the answer to the probe was only late`() throws {
    var connection = Connection()
    connection.take(connection.client.fired(.probe))
    try connection.receive(Lines.discovered(1))
    #expect(connection.client.session == nil)
    try connection.receive(
      #"{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"","data":{"supported":[]}}}"#
    )
    #expect(connection.client.session?.version == .july2026)
  }

  @Test func `does not probe a server that is known to need the handshake`() throws {
    var settings = MCPClient.Settings()
    settings.era = .handshake
    let connection = Connection(settings)
    #expect(connection.sent.count == 1)
    #expect(try connection.last["method"]?.text == "initialize")
  }

  @Test func `probes a server that no longer takes the handshake`() throws {
    var settings = MCPClient.Settings()
    settings.era = .handshake
    var connection = Connection(settings)
    try connection.receive(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":""}}"#)
    #expect(try connection.last["method"]?.text == "server/discover")
    try connection.receive(Lines.discovered(2))
    #expect(connection.client.session?.version == .july2026)
  }

  @Test func `gives up a server that stays silent`() throws {
    var connection = Connection()
    connection.take(connection.client.fired(.probe))
    connection.take(connection.client.fired(.start))
    #expect(connection.effects.last == .failed(.silent(seconds: 10)))
    try connection.receive(Lines.initialized(2))
    #expect(connection.client.session == nil)
  }

  @Test(arguments: ["2099-01-01", "2026-07-28", ""])
  func `gives up a server that answers with a version it does not know`(version: String) throws {
    var connection = Connection()
    connection.take(connection.client.fired(.probe))
    try connection.receive(Lines.initialized(2, version: version))
    #expect(connection.effects.last == .failed(.unsupportedVersion(version)))
  }

  @Test func `reads all pages of the list, and the list again when it changes`() throws {
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    try connection.receive(Lines.tools(3, "b", cursor: "next"))
    #expect(try connection.last["params"]?["cursor"]?.text == "next")
    try connection.receive(Lines.tools(4, "a", "b"))
    #expect(connection.listed == [["a", "b"]])
    try connection.receive(#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)
    try connection.receive(#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)
    try connection.receive(Lines.tools(5, "old"))
    // It changed once more while it was read.
    try connection.receive(Lines.tools(6, "c"))
    #expect(connection.listed == [["a", "b"], ["c"]])
  }

  @Test func `gives each list of tools a time of its own`() throws {
    let change = #"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    #expect(connection.effects.contains(.start(.list(1), after: .seconds(10))))
    try connection.receive(Lines.tools(3, "a"))
    try connection.receive(change)
    connection.take(connection.client.fired(.list(1)))
    #expect(connection.client.session != nil)
    // What is begun again has no more time for it.
    try connection.receive(change)
    connection.effects = []
    try connection.receive(Lines.tools(4, "b"))
    #expect(connection.effects.isEmpty)
    connection.take(connection.client.fired(.list(2)))
    #expect(connection.effects == [.failed(.noList(nil))])
  }

  @Test func `ends a list that never ends`() throws {
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    for page in 0..<ToolListing.maximumPages {
      try connection.receive(Lines.tools(3 + page, "t\(page)", cursor: "more"))
    }
    #expect(connection.listed.map(\.count) == [ToolListing.maximumPages])
  }

  @Test func `gives up a list that is too long in all`() throws {
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    let cursor = String(repeating: "x", count: ToolListing.maximumBytes / 2)
    try connection.receive(Lines.tools(3, "a", cursor: cursor))
    #expect(connection.client.session != nil)
    try connection.receive(Lines.tools(4, "b", cursor: cursor))
    guard case .failed(.noList(let error?)) = connection.effects.last else {
      Issue.record("\(connection.effects)")
      return
    }
    #expect(error.code == .internalError)
    #expect(connection.listed.isEmpty)
  }

  @Test func `answers what the server asks, and serves none of it`() throws {
    var connection = try Connection.begun()
    try connection.receive(#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)
    #expect(connection.sent.last == #"{"jsonrpc": "2.0", "id": "p", "result": {}}"#)
    try connection.receive(#"{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage"}"#)
    #expect(try connection.last["error"]?["code"]?.integer == -32601)
    #expect(try connection.last["id"]?.integer == 9)
  }
}

struct `A call of a client` {
  private static let arguments = GeneratedContent.object([("z", .text("1")), ("a", .text("2"))])

  @Test func `carries its arguments in their order, and is answered out of order`() throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(7, tool: "log", arguments: Self.arguments))
    #expect(connection.sent.last?.contains(#""arguments": {"z": "1", "a": "2"}"#) == true)
    connection.take(connection.client.call(8, tool: "log", arguments: Self.arguments))
    connection.effects = []
    try connection.receive(#"{"jsonrpc":"2.0","id":5,"result":{"content":[]}}"#)
    try connection.receive(
      #"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}"#
    )
    guard case .finished(8, request: 5, _) = connection.effects[0],
      case .finished(7, request: 4, .returned(let result)) = connection.effects[1]
    else { throw Unexpected(effects: connection.effects) }
    #expect(result.text == "x")
    #expect(result.isError)
  }

  @Test func `names the span that it is part of, where there is one`() throws {
    var connection = try Connection.begun()
    for span in ["00-1-2-01", nil] {
      connection.take(
        connection.client.call(1, tool: "log", arguments: Self.arguments, traceparent: span)
      )
      #expect(try connection.last["params"]?["_meta"]?["traceparent"]?.text == span)
    }
  }

  @Test(arguments: [#""4""#, "4.0", "5", "null"])
  func `is answered by its own identifier only`(id: String) throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(1, tool: "log", arguments: Self.arguments))
    try connection.receive(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-1,"message":""}}"#)
    #expect(connection.outcomes.isEmpty)
  }

  @Test func `times out, is cancelled on the wire, and ignores a late answer`() throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(1, tool: "log", arguments: Self.arguments))
    #expect(connection.takeEffects() == [.start(.call(id: 4, signs: 0), after: .seconds(60))])
    try connection.receive(Lines.progress(1))
    #expect(connection.takeEffects() == [.progressed(call: 1, ToolProgress(done: 1))])
    connection.take(connection.client.fired(.call(id: 4, signs: 0)))
    #expect(connection.takeEffects() == [.start(.call(id: 4, signs: 1), after: .seconds(60))])
    connection.take(connection.client.fired(.call(id: 4, signs: 1)))
    #expect(connection.outcomes == [.timedOut(seconds: 120)])
    #expect(try connection.last["method"]?.text == "notifications/cancelled")
    #expect(try connection.last["params"]?["requestId"]?.integer == 4)
    try connection.receive(#"{"jsonrpc":"2.0","id":4,"result":{"content":[]}}"#)
    #expect(connection.outcomes.count == 1)
  }

  @Test func `is given more time for its progress, and not without end`() throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(1, tool: "log", arguments: Self.arguments))
    for sign in 0..<MCPClient.maximumExtensions {
      try connection.receive(Lines.progress(sign, #","total":20.5,"message":"reading""#))
      connection.take(connection.client.fired(.call(id: 4, signs: sign)))
    }
    #expect(connection.outcomes.isEmpty)
    let progress = ToolProgress(done: 9, total: 20.5, message: "reading")
    #expect(connection.effects.contains(.progressed(call: 1, progress)))
    #expect("\(progress)" == "9 of 20.5: reading")
    try connection.receive(Lines.progress(10))
    connection.take(connection.client.fired(.call(id: 4, signs: 10)))
    #expect(connection.outcomes == [.timedOut(seconds: 660)])
    // What says nothing is none, and a sign all the same.
    connection.effects = []
    connection.take(connection.client.call(2, tool: "log", arguments: Self.arguments))
    try connection.receive(
      #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5}}"#
    )
    #expect(connection.client.calls.sent.values.map(\.signs) == [1])
  }

  @Test func `that is given up is cancelled and tells nothing more`() throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(1, tool: "log", arguments: Self.arguments))
    connection.take(connection.client.cancel(1, reason: "over"))
    #expect(try connection.last["params"]?["reason"]?.text == "over")
    try connection.receive(#"{"jsonrpc":"2.0","id":4,"result":{"content":[]}}"#)
    #expect(connection.outcomes.isEmpty)
  }

  @Test func `waits for earlier ones of a server that takes one at a time`() throws {
    var settings = MCPClient.Settings()
    settings.isSerial = true
    var connection = try Connection.begun(settings)
    for number in 1...3 {
      connection.take(connection.client.call(number, tool: "log", arguments: Self.arguments))
    }
    #expect(connection.sent.count { $0.contains("tools/call") } == 1)
    connection.take(connection.client.cancel(2, reason: ""))
    try connection.receive(#"{"jsonrpc":"2.0","id":4,"result":{"content":[]}}"#)
    #expect(connection.sent.count { $0.contains("tools/call") } == 2)
    try connection.receive(#"{"jsonrpc":"2.0","id":5,"result":{"content":[]}}"#)
    #expect(connection.outcomes.count == 2)
  }

  @Test func `declines what a person is asked for, ten times at most`() throws {
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    try connection.receive(Lines.tools(3, "log"))
    connection.effects = []
    connection.take(connection.client.call(1, tool: "log", arguments: Self.arguments))
    for round in 0...10 {
      try connection.receive(
        """
        {"jsonrpc":"2.0","id":\(4 + round),"result":{"resultType":"input_required",\
        "inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"s"}}
        """
      )
      guard round < 10 else { break }
      #expect(try connection.last["id"]?.integer == 5 + round)
      let params = try connection.last["params"]
      #expect(params?["inputResponses"]?["k"]?["action"]?.text == "decline")
      #expect(params?["requestState"]?.text == "s")
      #expect(params?["arguments"] == Self.arguments)
    }
    guard case .needsInput = connection.outcomes.first else {
      throw Unexpected(effects: connection.effects)
    }
  }

  private static let schema = """
    {"type":"object","properties":{"branch":{"type":"string"}},"required":["branch"]}
    """

  @Test func `is sent again with what a person answered`() throws {
    var connection = Connection()
    try connection.receive(Lines.discovered(1))
    try connection.receive(Lines.tools(3, "log"))
    connection.take(connection.client.call(7, tool: "log", arguments: Self.arguments))
    connection.effects = []
    let form = #""method":"elicitation/create","params":{"message":"Which?","requestedSchema":"#
    try connection.receive(
      """
      {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{\
      "a":{\(form)\(Self.schema)}},"b":{\(form)\(Self.schema)}},\
      "page":{"method":"elicitation/create","params":{"mode":"url","message":"?","url":"http://x"}}},\
      "requestState":"s"}}
      """
    )
    let sent = connection.sent.count
    guard case .asked(call: 7, question: 1, let asked) = connection.effects.first,
      case .asked(call: 7, question: 2, _) = connection.effects.last
    else { throw Unexpected(effects: connection.effects) }
    #expect(asked.message == "Which?")
    #expect(asked.schema.violation(by: .object([])) != nil)
    let content = GeneratedContent.object([("branch", .text("main"))])
    connection.take(connection.client.answer(question: 2, .declined))
    #expect(connection.sent.count == sent)
    connection.take(connection.client.answer(question: 1, .accepted(content)))
    // A question is answered once.
    connection.take(connection.client.answer(question: 1, .declined))
    #expect(connection.sent.count == sent + 1)
    let responses = try connection.last["params"]?["inputResponses"]
    #expect(responses?["a"]?["action"]?.text == "accept")
    #expect(responses?["a"]?["content"] == content)
    #expect(responses?["b"]?["action"]?.text == "decline")
    // A page to open is none of a person's forms.
    #expect(responses?["page"]?["action"]?.text == "decline")
    #expect(try connection.last["params"]?["requestState"]?.text == "s")
    #expect(try connection.last["id"]?.integer == 5)
  }

  private static func elicitation(_ id: Int) -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"method":"elicitation/create",\
    "params":{"message":"Which?","requestedSchema":\(schema)}}
    """
  }

  @Test func `has a person answer a request of its server, and more time for that`() throws {
    var connection = try Connection.begun()
    connection.take(connection.client.call(7, tool: "log", arguments: Self.arguments))
    try connection.receive(Self.elicitation(31))
    guard case .asked(call: 7, question: 1, _) = connection.effects.last else {
      throw Unexpected(effects: connection.effects)
    }
    for _ in 0...20 { connection.take(connection.client.fired(.call(id: 4, signs: 0))) }
    #expect(connection.outcomes.isEmpty)
    connection.take(connection.client.answer(question: 1, .accepted(.object([]))))
    #expect(
      connection.sent.last
        == #"{"jsonrpc": "2.0", "id": 31, "result": {"action": "accept", "content": {}}}"#
    )
    // A call that is over waits for no person.
    try connection.receive(Self.elicitation(32))
    connection.take(connection.client.cancel(7, reason: "over"))
    #expect(
      connection.sent.contains(#"{"jsonrpc": "2.0", "id": 32, "result": {"action": "cancel"}}"#)
    )
    connection.take(connection.client.answer(question: 2, .declined))
    #expect(connection.sent.last?.contains("notifications/cancelled") == true)
  }

  @Test func `has no person answer for another call`() throws {
    var connection = try Connection.begun()
    let cancelled = #"{"jsonrpc": "2.0", "id": 31, "result": {"action": "cancel"}}"#
    try connection.receive(Self.elicitation(31))
    #expect(connection.sent.last == cancelled)
    for number in 1...2 {
      connection.take(connection.client.call(number, tool: "log", arguments: Self.arguments))
    }
    try connection.receive(Self.elicitation(31))
    #expect(connection.sent.last == cancelled)
  }

  private struct Unexpected: Error {
    let effects: [MCPClient.Effect]
  }
}
