import AgentKit
import Foundation
import Remote
import TestSupport
import Testing

/// What is sent to a server.
@Suite(.timeLimit(.minutes(5))) struct RequestTests {
  private let answer = [Sent.text("Yes."), Sent.end(), Sent.done]

  /// The request that results from a prompt.
  private func request(
    tools: [any Tool] = [],
    key: String? = nil,
    headers: [String: String] = [:],
    options: GenerationOptions = GenerationOptions(),
    context: ContextOptions = ContextOptions()
  ) async throws -> TestServer.Request {
    try await TestServer.events(answer) { server in
      let session = LanguageModelSession(
        model: try server.model(key: key, headers: headers),
        tools: tools,
        instructions: "Be brief."
      )
      try await session.respond(to: "Hello", options: options, contextOptions: context)
      return try #require(server.received.first)
    }
  }

  @Test func `A plain prompt is the model, the messages and the wish to stream`() async throws {
    let request = try await request()
    #expect(request.head.hasPrefix("POST /v1/chat/completions HTTP/1.1\r\n"))
    #expect(request.head.contains("\r\nContent-Type: application/json"))
    #expect(!request.head.contains("Authorization"))
    #expect(!request.head.contains("Expect"))
    #expect(
      request.body == """
        {"model": "some-model", "messages": [{"role": "system", "content": "Be brief."}, \
        {"role": "user", "content": "Hello"}], "stream": true, \
        "stream_options": {"include_usage": true}}
        """
    )
  }

  @Test func `An image is an address that holds its bytes`() async throws {
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    let png = Data(head + Array("IHDR".utf8) + [0, 0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0])
    let request = try await TestServer.events(answer) { server in
      let session = LanguageModelSession(model: try server.model())
      try await session.respond {
        "What is it?"
        Attachment(imageData: png)
      }
      return try #require(server.received.first)
    }
    #expect(
      request.body.contains(
        """
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, \
        {"type": "image_url", "image_url": {"url": \
        "data:image/png;base64,\(png.base64EncodedString())"}}]}
        """
      )
    )
  }

  @Test func `A key is shown as a bearer token, beside other headers`() async throws {
    let head = try await request(key: "sk-secret", headers: ["X-Team": "origami"]).head
    #expect(head.contains("\r\nAuthorization: Bearer sk-secret"))
    #expect(head.contains("\r\nX-Team: origami"))
  }

  @Test(arguments: [
    (GenerationOptions.ToolCallingMode.allowed, "auto"), (.required, "required"),
  ])
  func `Tools come with their mode`(
    mode: GenerationOptions.ToolCallingMode,
    choice: String
  ) async throws {
    let calls = [
      Sent.call(
        #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"X\"}"}}"#
      ),
      Sent.end("tool_calls"),
    ]
    let fields = try await TestServer.events(mode == .required ? calls : answer) { server in
      let session = LanguageModelSession(model: try server.model(), tools: [Ending()])
      _ = try? await session.respond(to: "Hello", options: .init(toolCallingMode: mode))
      return try #require(server.received.first)
    }.fields()
    #expect(fields["tool_choice"] as? String == choice)
    #expect(fields["parallel_tool_calls"] as? Bool == true)
    let tools = try #require(fields["tools"] as? [[String: Any]])
    let function = try #require(tools.first?["function"] as? [String: Any])
    #expect(function["name"] as? String == "weather")
    let parameters = try #require(function["parameters"] as? [String: Any])
    #expect(parameters["required"] as? [String] == ["city"])
  }

  @Test func `Tools that are not to be called are not shown`() async throws {
    let fields = try await request(
      tools: [Weather()],
      options: .init(toolCallingMode: .disallowed)
    ).fields()
    #expect(fields["tools"] == nil)
    #expect(fields["tool_choice"] == nil)
  }

  @Test func `Options are the server's own fields`() async throws {
    let nucleus = try await request(
      options: .init(
        samplingMode: .random(probabilityThreshold: 0.5, seed: 7),
        temperature: 0.25,
        maximumResponseTokens: 9
      )
    ).fields()
    #expect(nucleus["top_p"] as? Double == 0.5)
    #expect(nucleus["seed"] as? Int == 7)
    #expect(nucleus["temperature"] as? Double == 0.25)
    #expect(nucleus["max_completion_tokens"] as? Int == 9)
    let best = try await request(options: .init(samplingMode: .random(top: 3))).fields()
    #expect(best["top_k"] as? Int == 3)
    #expect(best["seed"] == nil)
    let greedy = try await request(options: .init(samplingMode: .greedy)).fields()
    #expect(greedy["temperature"] as? Int == 0)
  }

  @Test(arguments: [
    (ContextOptions.ReasoningLevel.light, "low"), (.moderate, "medium"), (.deep, "high"),
    (.custom("xhigh"), "xhigh"),
  ])
  func `A reasoning level is an effort`(
    level: ContextOptions.ReasoningLevel,
    effort: String
  ) async throws {
    let fields = try await request(context: .init(reasoningLevel: level)).fields()
    #expect(fields["reasoning_effort"] as? String == effort)
  }

  @Test func `Reasoning goes back to the server with the answer that it led to`() async throws {
    let events = [Sent.thought("Hm."), Sent.text("Yes."), Sent.end(), Sent.done]
    let messages = try await TestServer.events(events) { server in
      let session = LanguageModelSession(model: try server.model())
      try await session.respond(to: "One")
      try await session.respond(to: "Two")
      return try #require(server.received.last).body
    }
    #expect(
      messages.contains(
        #"{"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}"#
      )
    )
  }

  @Test func `A schema is a response format, and the answer is content`() async throws {
    let json = #"{\"city\": \"Oslo\", \"days\": 3}"#
    try await TestServer.events([Sent.text(json), Sent.end(), Sent.done]) { server in
      let session = LanguageModelSession(model: try server.model())
      let trip = try await session.respond(to: "Plan", generating: Trip.self).content
      #expect(trip.city == "Oslo")
      #expect(trip.days == 3)
      let fields = try #require(server.received.first).fields()
      let format = try #require(fields["response_format"] as? [String: Any])
      #expect(format["type"] as? String == "json_schema")
      let schema = try #require(format["json_schema"] as? [String: Any])
      #expect(schema["name"] as? String == "Trip")
      #expect((schema["schema"] as? [String: Any])?["type"] as? String == "object")
    }
  }

  @Test func `An answer that breaks off before its schema is met is an error`() async throws {
    try await TestServer.events([Sent.text(#"{\"city\": \"Os"#), Sent.end("length")]) { server in
      let session = LanguageModelSession(model: try server.model())
      await #expect(throws: GeneratedContent.ParsingError.self) {
        try await session.respond(to: "Plan", generating: Trip.self)
      }
    }
  }

  // MARK: Addresses

  @Test(arguments: [
    ("", "/v1/chat/completions"), ("/", "/v1/chat/completions"),
    ("/v1", "/v1/chat/completions"), ("/v1/", "/v1/chat/completions"),
    ("/api/v3", "/api/v3/chat/completions"),
    ("/v1/chat/completions", "/v1/chat/completions"),
    ("/v1?tenant=a", "/v1/chat/completions?tenant=a"),
  ])
  func `An address is completed, and not guessed at`(path: String, full: String) async throws {
    try await TestServer.events(answer) { server in
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
      let model = ChatCompletionsLanguageModel(name: "m", url: url)
      try await LanguageModelSession(model: RemoteLanguageModel(model, environment: [:]))
        .respond(to: "Hello")
      let head = try #require(server.received.first).head
      #expect(head.hasPrefix("POST \(full) HTTP"))
    }
  }

  @Test func `A key that is empty is none`() async throws {
    try await TestServer.events(answer) { server in
      let environment = [
        "ORCHESTRATOR_CHAT_URL": try server.url.absoluteString, "ORCHESTRATOR_CHAT_KEY": "",
      ]
      let model = ChatCompletionsLanguageModel(name: "m")
      try await LanguageModelSession(model: RemoteLanguageModel(model, environment: environment))
        .respond(to: "Hello")
      let head = try #require(server.received.first).head
      #expect(!head.contains("Authorization"))
    }
  }

  @Test func `The environment's server gets the environment's key, and no other does`()
    async throws
  {
    try await TestServer.events(answer) { server in
      let environment = [
        "ORCHESTRATOR_CHAT_URL": try server.url.absoluteString,
        "ORCHESTRATOR_CHAT_KEY": "sk-environment",
      ]
      let named = ChatCompletionsLanguageModel(name: "m")
      try await LanguageModelSession(model: RemoteLanguageModel(named, environment: environment))
        .respond(to: "Hello")
      let chosen = ChatCompletionsLanguageModel(name: "m", url: try server.url)
      try await LanguageModelSession(model: RemoteLanguageModel(chosen, environment: environment))
        .respond(to: "Hello")
      let heads = server.received.map(\.head)
      #expect(heads.map { $0.contains("Bearer sk-environment") } == [true, false])
    }
  }
}

@Generable struct Trip {
  var city: String
  var days: Int
}

/// Ends the loop of required calls.
private struct Ending: Tool {
  let name = "weather"
  let description = "Ends."
  @Generable struct Arguments { var city: String }

  func call(arguments: Arguments) async throws -> String { throw CancellationError() }
}
