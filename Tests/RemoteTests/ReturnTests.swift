import AgentKit
import Foundation
import TestSupport
import Testing

@testable import Remote

/// What goes back to a server with later requests.
@Suite(.timeLimit(.minutes(5))) struct ReturnTests {
  private let yes = TestServer.events([Sent.text("Yes."), Sent.end(), Sent.done])

  private static func call(_ fields: String, of name: String = "weather") -> String {
    let function = #"{"name":"\#(name)","arguments":"{\"city\":\"Oslo\"}"}"#
    return Sent.call(
      #"{"index":0,"id":"call_1","type":"function","function":\#(function)\#(fields)}"#
    )
  }

  private static func calls(_ events: [String]) -> TestServer.Answer {
    TestServer.events(events + [Sent.end("tool_calls"), Sent.done])
  }

  /// The messages of a request.
  private func messages(_ request: TestServer.Request?) throws -> [[String: Any]] {
    let request = try #require(request)
    return try #require(request.fields()["messages"] as? [[String: Any]])
  }

  private func message(of role: String, in request: TestServer.Request?) throws -> [String: Any] {
    try #require(try messages(request).last { $0["role"] as? String == role })
  }

  private func calls(in request: TestServer.Request?) throws -> [[String: Any]] {
    try messages(request).flatMap { $0["tool_calls"] as? [[String: Any]] ?? [] }
  }

  // MARK: Arguments

  @Test(arguments: ["{'city': 'Oslo'}", #"[\"Oslo\"]"#, #"\"Oslo\""#, "17"])
  func `Arguments that are no object go back as one, and the output says what they were`(
    arguments: String
  ) async throws {
    let call = #"{"index":0,"id":"a","function":{"name":"weather","arguments":"\#(arguments)"}}"#
    try await TestServer.answers([Self.calls([Sent.call(call)]), yes]) { server in
      _ = try await server.ask(tools: [Weather()])
      let function = try #require(
        try calls(in: server.received.last).first?["function"] as? [String: Any]
      )
      #expect(function["arguments"] as? String == "{}")
      let output = try message(of: "tool", in: server.received.last)["content"] as? String
      let written = arguments.filter { $0 != "\\" && $0 != "\"" }
      #expect(
        output?.filter { $0 != "\"" }.contains("You wrote: \(written)") == true,
        "\(output ?? "")"
      )
    }
  }

  @Test(arguments: [#""null""#, "null", #""""#, #"" ""#])
  func `A tool without arguments may be called with nothing`(arguments: String) async throws {
    let call = #"{"index":0,"id":"a","function":{"name":"look","arguments":\#(arguments)}}"#
    try await TestServer.answers([Self.calls([Sent.call(call)]), yes]) { server in
      let response = try await server.ask(tools: [Look()])
      #expect(
        response.transcriptEntries.outline == ["calls look{}", "output seen", "response Yes."]
      )
    }
  }

  // MARK: Identities

  @Test func `Calls have identities that every server takes, each with its output`() async throws {
    let arguments = GeneratedContent(properties: ["city": "Oslo"])
    func call(_ id: String) -> Transcript.ToolCall {
      .init(id: id, toolName: "weather", arguments: arguments)
    }
    func output(_ id: String) -> Transcript.Entry {
      .toolOutput(.init(id: id, toolName: "weather", segments: [.text(.init(content: id))]))
    }
    let prompt = Transcript.Entry.prompt(.init(segments: [.text(.init(content: "Go"))]))
    // Other models have named them, two of them alike.
    let history: [Transcript.Entry] = [
      prompt, .toolCalls(.init([call("toolu_01AbCdEfGhIjKlMnOp"), call("functions.weather:0")])),
      output("toolu_01AbCdEfGhIjKlMnOp"), output("functions.weather:0"), prompt,
      .toolCalls(.init([call("functions.weather:0")])), output("functions.weather:0"),
    ]
    let bodies = try await TestServer.answers([yes]) { server in
      for _ in 0..<2 {
        let session = LanguageModelSession(
          model: try server.model(),
          transcript: Transcript(entries: history)
        )
        try await session.respond(to: "And?")
      }
      let request = server.received.first
      let made = try calls(in: request).compactMap { $0["id"] as? String }
      let answered = try messages(request).filter { $0["role"] as? String == "tool" }
      #expect(made.count == 3 && Set(made).count == 3)
      #expect(made.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9]{9}/) != nil }, "\(made)")
      #expect(answered.compactMap { $0["tool_call_id"] as? String } == made)
      return server.received.map(\.body)
    }
    #expect(bodies.count == 2 && bodies.first == bodies.last)
  }

  // MARK: Opaque fields

  private static let signature = #","extra_content":{"google":{"thought_signature":"U0lH\/A=="}}"#

  @Test(arguments: [
    signature, #","thought_signature":"U0lH""#,
    #","provider_specific_fields":{"b":[1,{"c":null}],"a":1234567890123456}"#,
  ])
  func `What came with a call goes back with it, also after a restart`(fields: String) async throws
  {
    let sent = try #require(
      JSONSerialization.jsonObject(with: Data("{\(fields.dropFirst())}".utf8)) as? [String: Any]
    )
    try await TestServer.answers([Self.calls([Self.call(fields)]), yes]) { server in
      let session = LanguageModelSession(model: try server.model(), tools: [Weather()])
      try await session.respond(to: "Hello")
      // As the journal keeps it.
      let json = try JSONEncoder().encode(session.transcript)
      let restored = LanguageModelSession(
        model: try server.model(),
        tools: [Weather()],
        transcript: try JSONDecoder().decode(Transcript.self, from: json)
      )
      try await restored.respond(to: "And?")
      #expect(server.received.count == 3)
      for request in server.received.dropFirst() {
        let call = try #require(try calls(in: request).first)
        #expect(call.keys.sorted() == (["function", "id", "type"] + sent.keys).sorted())
        for (name, value) in sent {
          #expect((call[name] as? NSObject) == (value as? NSObject), "\(name)")
        }
      }
    }
  }

  @Test func `Fields within the function of a call go back there`() async throws {
    let call = #"{"id":"a","function":{"name":"weather","arguments":"{\"city\":\"X\"}","sig":"S"}}"#
    try await TestServer.answers([Self.calls([Sent.call(call)]), yes]) { server in
      _ = try await server.ask(tools: [Weather()])
      let function = try calls(in: server.received.last).first?["function"] as? [String: Any]
      #expect(function?["sig"] as? String == "S")
      #expect(function?["name"] as? String == "weather")
    }
  }

  @Test func `Only the server and the model that sent them see them`() async throws {
    try await TestServer.answers([Self.calls([Self.call(Self.signature)]), yes]) { server in
      let first = LanguageModelSession(model: try server.model(), tools: [Weather()])
      try await first.respond(to: "Hello")
      let other = ChatCompletionsLanguageModel(name: "other-model", url: try server.url)
      let second = LanguageModelSession(
        model: RemoteLanguageModel(other, environment: [:]),
        transcript: first.transcript
      )
      try await second.respond(to: "And?")
      try await TestServer.answers([yes]) { elsewhere in
        let third = LanguageModelSession(
          model: try elsewhere.model(),
          transcript: second.transcript
        )
        try await third.respond(to: "And?")
        #expect(elsewhere.received.first?.body.contains("weather") == true)
        #expect(elsewhere.received.first?.body.contains("extra_content") == false)
      }
      #expect(
        server.received.map { $0.body.contains("thought_signature") } == [false, true, false]
      )
    }
  }

  @Test(arguments: [false, true])
  func `What came with a message in pieces goes back with it`(hasCall: Bool) async throws {
    func piece(_ details: String) -> String {
      #"{"choices":[{"delta":{"reasoning":"Hm","reasoning_details":[\#(details)]}}]}"#
    }
    let beginning = [
      piece(#"{"type":"reasoning.text","format":"f-1","index":0,"text":"Ha"}"#),
      piece(#"{"type":"reasoning.text","format":"f-1","index":0,"text":"Ha","signature":null}"#),
      piece(#"{"type":"reasoning.text","format":"f-1","index":0,"signature":"S1=="}"#),
      piece(#"{"type":"reasoning.encrypted","format":"f-1","index":1,"data":"xyz"}"#),
    ]
    let answer = beginning + (hasCall ? [Self.call("")] : [Sent.text("No.")])
    let first =
      hasCall ? Self.calls(answer) : TestServer.events(answer + [Sent.end(), Sent.done])
    try await TestServer.answers([first, yes]) { server in
      let session = LanguageModelSession(model: try server.model(), tools: [Weather()])
      try await session.respond(to: "Hello")
      if !hasCall { try await session.respond(to: "Really?") }
      let assistant = try #require(
        try messages(server.received.last).first { $0["role"] as? String == "assistant" }
      )
      let details = try #require(assistant["reasoning_details"] as? [[String: Any]])
      #expect(details.count == 2)
      #expect(details[0]["text"] as? String == "HaHa")
      #expect(details[0]["signature"] as? String == "S1==")
      #expect(details[0]["format"] as? String == "f-1")
      #expect(details[1]["data"] as? String == "xyz")
      #expect((assistant["tool_calls"] != nil) == hasCall)
    }
  }

  @Test func `A server that does not take back what it sent is asked without it`() async throws {
    let refusal = TestServer.refusal(
      "400 Bad Request",
      body: #"{"error":{"message":"property 'extra_content' is unsupported"}}"#
    )
    let first = Self.calls([Self.call(Self.signature + #","other":"S""#)])
    try await TestServer.answers([first, refusal, yes]) { server in
      let answer = try await server.ask(tools: [Weather()])
      #expect(answer.content == "Yes.")
      #expect(server.received.count == 3)
      let call = try #require(try calls(in: server.received.last).first)
      #expect(call["extra_content"] == nil)
      #expect(call["other"] as? String == "S")
    }
  }

  @Test func `More than a journal should hold is not kept`() async throws {
    let long = #","other":"\#(String(repeating: "x", count: 300 << 10))""#
    try await TestServer.answers([Self.calls([Self.call(long)]), yes]) { server in
      let answer = try await server.ask(tools: [Weather()])
      #expect(answer.content == "Yes.")
      let call = try #require(try calls(in: server.received.last).first)
      #expect(call["other"] == nil)
    }
  }
}

private struct Look: Tool {
  let name = "look"
  let description = "Looks."
  @Generable struct Arguments {}

  func call(arguments: Arguments) async throws -> String { "seen" }
}
