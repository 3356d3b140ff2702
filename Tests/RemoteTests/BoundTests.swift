import AgentKit
import Foundation
import TestSupport
import Testing

@testable import Remote

/// The limit on what a model writes, and what counts against it.
@Suite(.timeLimit(.minutes(5))) struct BoundTests {
  private let yes = TestServer.events([Sent.text("Yes."), Sent.end()])

  @Test(arguments: [
    (nil, true, true), (9, true, true), (9, false, false), (7, true, false), (5, true, false),
  ])
  func `An answer is cut off only where less came than was asked for`(
    bound: Int?,
    isCounted: Bool,
    isCut: Bool
  ) async throws {
    let events = [Sent.text("So far"), Sent.end("length")] + (isCounted ? [Sent.usage] : [])
    try await TestServer.events(events) { server in
      let answer = try await server.ask(options: .init(maximumResponseTokens: bound))
      #expect(answer.content == "So far")
      #expect(answer.exit == (isCut ? .cap("length") : .answered))
    }
  }

  @Test(arguments: ["length", "model_length", "time_limit"])
  func `A model that the server cut off while it thought has not simply answered`(
    reason: String
  ) async throws {
    try await TestServer.events([Sent.thought("Hm."), Sent.end(reason)]) { server in
      let answer = try await server.ask()
      #expect(answer.content.isEmpty)
      #expect(answer.exit == .cap(reason))
    }
  }

  @Test(arguments: ["model_length", "time_limit", "content_filter"])
  func `What a server cuts off for reasons of its own says so`(reason: String) async throws {
    try await TestServer.events([Sent.text("So far"), Sent.end(reason)]) { server in
      let answer = try await server.ask(options: .init(maximumResponseTokens: 9))
      #expect(answer.content == "So far")
      #expect(answer.exit == .cap(reason))
    }
  }

  @Test(arguments: ["insufficient_system_resource", "error", "abort", "network_error"])
  func `A server that gives up in the middle has not answered`(reason: String) async throws {
    try await TestServer.events([Sent.text("So far"), Sent.end(reason), Sent.done]) { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.RequestError.self) {
        try await server.ask()
      }
      #expect("\(String(describing: error))".contains("the server says '\(reason)'"))
    }
  }

  @Test func `A required call that does not fit into the bound ends the turn at the bound`()
    async throws
  {
    try await TestServer.events([Sent.text("Let me"), Sent.end("length")]) { server in
      for bound in [1, 100] {
        let options = GenerationOptions(maximumResponseTokens: bound, toolCallingMode: .required)
        let answer = try await server.ask(tools: [Weather()], options: options)
        #expect(answer.exit == .cap("maximumResponseTokens"))
      }
    }
    // The server has a lower bound of its own, and the model only thought.
    try await TestServer.events([Sent.thought("Hm."), Sent.end("length"), Sent.usage]) { server in
      let options = GenerationOptions(maximumResponseTokens: 100, toolCallingMode: .required)
      let answer = try await server.ask(tools: [Weather()], options: options)
      #expect(answer.exit == .cap("length"))
    }
  }

  // MARK: Names

  @Test func `It goes out under its new name and its old one`() async throws {
    try await TestServer.events([Sent.text("Yes."), Sent.end()]) { server in
      _ = try await server.ask(options: .init(maximumResponseTokens: 9))
      let fields = try #require(server.received.first).fields()
      #expect(fields["max_completion_tokens"] as? Int == 9)
      #expect(fields["max_tokens"] as? Int == 9)
    }
  }

  @Test(arguments: [
    ("https://api.openai.com/v1", false), ("https://EU.API.OpenAI.com/v1", false),
    ("https://team.openai.azure.com/openai/v1", false), ("http://127.0.0.1:11434", true),
    ("https://notopenai.com/v1", true), ("https://api.openai.com.example.org/v1", true),
  ])
  func `OpenAI is not told the old one`(address: String, takesOldBound: Bool) throws {
    let url = try #require(URL(string: address))
    let model = ChatCompletionsLanguageModel(name: "m", url: url)
    #expect(try Endpoint(model, environment: [:]).takesOldBound == takesOldBound)
  }

  @Test func `Who refuses the old name is asked again without it`() async throws {
    let refusal = TestServer.refusal(
      "400 Bad Request",
      body: #"{"error":{"message":"Not supported.","param":"max_tokens"}}"#
    )
    try await TestServer.answers([refusal, yes]) { server in
      let answer = try await server.ask(options: .init(maximumResponseTokens: 9)).content
      #expect(answer == "Yes.")
      let requests = try server.received.map { try $0.fields() }
      #expect(requests.map { $0["max_tokens"] as? Int } == [9, nil])
      #expect(requests.map { $0["max_completion_tokens"] as? Int } == [9, 9])
    }
  }

  @Test func `Who refuses what it is told of parallel calls is asked again without it`()
    async throws
  {
    let refusals = [
      "Use max_completion_tokens, and not 'max_tokens'.",
      "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    ].map { words in
      TestServer.refusal("400 Bad Request", body: #"{"error":{"message":"\#(words)"}}"#)
    }
    try await TestServer.answers(refusals + [yes]) { server in
      let options = GenerationOptions(maximumResponseTokens: 9)
      #expect(try await server.ask(tools: [Weather()], options: options).content == "Yes.")
      let requests = try server.received.map { try $0.fields() }
      #expect(requests.map { $0["max_tokens"] as? Int } == [9, nil, nil])
      #expect(requests.map { $0["parallel_tool_calls"] as? Bool } == [true, true, nil])
      #expect(requests.allSatisfy { $0["tools"] != nil })
    }
  }

  @Test func `A bad request without a bound is not made again`() async throws {
    try await TestServer.run { connection in
      try await connection.respond("400 Bad Request", body: #"{"error":"max_tokens is missing"}"#)
    } _: { server in
      await #expect(throws: ChatCompletionsLanguageModel.APIError.self) { try await server.ask() }
      #expect(server.received.count == 1)
    }
  }

  // MARK: Counts

  @Test func `Where a server counts nothing, its pieces are counted`() async throws {
    let events = [
      Sent.thought("Hm."), Sent.text(""), Sent.text("Good "), Sent.text("day."), Sent.end(),
      Sent.done,
    ]
    try await TestServer.events(events) { server in
      let usage = try await server.ask().usage
      #expect(usage.output.totalTokenCount == 3)
      #expect(usage.output.reasoningTokenCount == 1)
      #expect(usage.input.totalTokenCount == 0)
    }
  }

  @Test func `What it writes to tools is counted too`() async throws {
    let calls = [
      Sent.call(#"{"index":0,"id":"a","function":{"name":"weather","arguments":""}}"#),
      Sent.call(#"{"index":0,"function":{"arguments":"{\"city\": "}}"#),
      Sent.call(#"{"index":0,"function":{"arguments":"\"Oslo\"}"}}"#), Sent.end("tool_calls"),
    ]
    let answer = [Sent.text("Wet."), Sent.end()]
    try await TestServer.answers([TestServer.events(calls), TestServer.events(answer)]) { server in
      let usage = try await server.ask(tools: [Weather()]).usage
      #expect(usage.output.totalTokenCount == 3)
    }
  }
}
