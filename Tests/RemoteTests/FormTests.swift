import AgentKit
import Foundation
import Remote
import TestSupport
import Testing

/// Servers that accept less than others, and what they are asked instead.
@Suite(.timeLimit(.minutes(5))) struct FormTests {
  @Generable struct Stop {
    var name: String
    @Guide(description: "in minutes") var wait: Int?
    var next: [Leg]
  }

  @Generable struct Leg { var by: String? }

  /// Refuses requests with each of the bodies in turn and then answers.
  private func refusing<Result: Sendable>(
    _ bodies: String...,
    status: String = "400 Bad Request",
    answer: String,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let refusals = bodies.map { TestServer.refusal(status, body: $0) }
    let answer = TestServer.events([Sent.text(answer), Sent.end()])
    return try await TestServer.answers(refusals + [answer], body)
  }

  private func format(_ request: TestServer.Request) throws -> [String: Any] {
    let format = try #require(request.fields()["response_format"] as? [String: Any])
    return try #require(format["json_schema"] as? [String: Any])
  }

  @Test func `A server is asked for what it can promise: all properties, and no others`()
    async throws
  {
    let answer = #"{\"name\": \"Oslo\", \"wait\": null, \"next\": [{\"by\": null}]}"#
    try await refusing(answer: answer) { server in
      let session = LanguageModelSession(model: try server.model())
      let stop = try await session.respond(to: "Plan", generating: Stop.self).content
      #expect(stop.wait == nil)
      #expect(stop.next.map(\.by) == [nil])
      let body = try #require(server.received.first).body
      #expect(body.contains(#""strict": true"#))
      #expect(
        body.contains(
          """
          "properties": {"name": {"type": "string"}, "wait": {"description": "in minutes", \
          "anyOf": [{"type": "integer"}, {"type": "null"}]}, "next": {"type": "array", "items": \
          {"type": "object", "properties": {"by": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, \
          "required": ["by"], "additionalProperties": false}}}, \
          "required": ["name", "wait", "next"], "additionalProperties": false}
          """
        ),
        "\(body)"
      )
    }
  }

  @Test func `Nothing is promised where something may be anything`() async throws {
    let open = DynamicGenerationSchema(
      name: "Open",
      properties: [.init(name: "what", schema: .init(type: GeneratedContent.self))]
    )
    let schema = try GenerationSchema(root: open, dependencies: [])
    try await refusing(answer: #"{\"what\": [1]}"#) { server in
      let session = LanguageModelSession(model: try server.model())
      _ = try await session.respond(to: "Plan", schema: schema)
      let format = try format(try #require(server.received.first))
      #expect(format["strict"] as? Bool == false)
    }
  }

  @Test func `Who can promise less than the schema needs is asked again without a promise`()
    async throws
  {
    let words = """
      {"error":{"message":"Invalid schema for response_format 'Trip': pattern is not permitted.",\
      "type":"invalid_request_error","param":"response_format","code":null}}
      """
    try await refusing(words, answer: #"{\"city\": \"Oslo\", \"days\": 3}"#) { server in
      let session = LanguageModelSession(model: try server.model())
      #expect(try await session.respond(to: "Plan", generating: Trip.self).content.days == 3)
      let formats = try server.received.map(format)
      #expect(formats.map { $0["strict"] as? Bool } == [true, false])
    }
    // A server that keeps refusing is not asked forever.
    try await refusing(words, words, answer: "") { server in
      let session = LanguageModelSession(model: try server.model())
      await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
        try await session.respond(to: "Plan", generating: Trip.self)
      }
    }
  }

  @Test(arguments: [
    #"{"error":{"message":"Unrecognized request argument supplied: top_k"}}"#,
    // Google's server sends its error in a list.
    #"[{"error":{"code":400,"message":"Unknown name \"top_k\": Cannot find field."}}]"#,
  ])
  func `Who does not know top_k is asked again without it`(words: String) async throws {
    try await refusing(words, answer: "Yes.") { server in
      let options = GenerationOptions(samplingMode: .random(top: 40, seed: 7))
      #expect(try await server.ask(options: options).content == "Yes.")
      let requests = try server.received.map { try $0.fields() }
      #expect(requests.map { $0["top_k"] as? Int } == [40, nil])
      #expect(requests.map { $0["seed"] as? Int } == [7, 7])
    }
  }

  @Test(arguments: [
    #"{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied"#
      + #"[('messages.2' : property 'reasoning_content' is unsupported)]"}}"#,
    #"{"message":"messages.2.assistant.reasoning_content: property "#
      + #"'messages.2.assistant.reasoning_content' is unsupported","#
      + #""type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}"#,
  ])
  func `Who takes no earlier reasoning is asked again without it`(words: String) async throws {
    func text(_ content: String) -> [Transcript.Segment] { [.text(.init(content: content))] }
    let history = Transcript(entries: [
      .prompt(.init(segments: text("One"))), .reasoning(.init(segments: text("Hm."))),
      .response(.init(segments: text("First."))),
    ])
    try await refusing(words, answer: "Yes.") { server in
      let session = LanguageModelSession(model: try server.model(), transcript: history)
      #expect(try await session.respond(to: "Two").content == "Yes.")
      let bodies = server.received.map(\.body)
      #expect(bodies.map { $0.contains("reasoning_content") } == [true, false])
      #expect(bodies.allSatisfy { $0.contains("First.") })
    }
    // Where there is none, it was not what was refused.
    try await refusing(words, answer: "") { server in
      await #expect(throws: ChatCompletionsLanguageModel.APIError.self) { try await server.ask() }
      #expect(server.received.count == 1)
    }
  }

  @Test(arguments: [
    (
      #"{"object":"error","message":"This model's maximum context length is 8192 tokens. "#
        + #"However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).","#
        + #""type":"BadRequestError","param":null,"code":400}"#, 8192, 9000
    ),
    (#"{"error":{"message":"it exceeds the maximum context length"}}"#, 0, 0),
  ])
  func `A conversation that is too long is known by vLLM's words, too`(
    body: String,
    size: Int,
    tokens: Int
  ) async throws {
    try await refusing(body, answer: "") { server in
      let error = await #expect(throws: LanguageModelError.self) { try await server.ask() }
      guard case .contextSizeExceeded(let facts) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect((facts.contextSize, facts.tokenCount) == (size, tokens))
    }
  }

  /// A field of a request that Mistral's server rejects, in its words.
  private func unwanted(_ place: String) -> String {
    #"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body",\#(place)],"#
      + #""msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error","param":null}"#
  }

  @Test func `A server that lists the fields that it rejects is asked without them`() async throws {
    try await refusing(
      unwanted(#""stream_options","include_usage""#),
      unwanted(#""max_completion_tokens""#),
      status: "422 Unprocessable Entity",
      answer: "Yes."
    ) { server in
      let options = GenerationOptions(maximumResponseTokens: 100)
      #expect(try await server.ask(options: options).content == "Yes.")
      let requests = try server.received.map { try $0.fields() }
      #expect(requests.map { $0["stream_options"] != nil } == [true, false, false])
      #expect(requests.map { $0["max_completion_tokens"] as? Int } == [100, 100, nil])
    }
  }

  @Test func `What a strict server rejects besides is told`() async throws {
    let body = unwanted(#""tools""#)
    try await refusing(body, status: "422 Unprocessable Entity", answer: "") { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
        try await server.ask()
      }
      #expect(error?.statusCode == 422)
      #expect(error?.message.contains(#""loc": ["body", "tools"]"#) == true)
    }
  }

  @Test func `What is wrong in a flat form keeps its kind`() async throws {
    let body = #"{"object":"error","message":"No.","type":"NotFoundError","code":404}"#
    try await refusing(body, answer: "") { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
        try await server.ask()
      }
      #expect(error?.message == "No.")
      #expect(error?.type == "NotFoundError")
    }
  }
}
