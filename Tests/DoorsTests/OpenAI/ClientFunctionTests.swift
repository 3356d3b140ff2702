import Coordination
import Coordinator
import Foundation
import Hummingbird
import TestSupport
import Testing
import Transcripts

@testable import Doors

@Suite(.timeLimit(.minutes(5))) struct `Outputs of the client's functions` {
  private static let tools =
    #","tools":[{"type":"function","function":{"name":"weather","parameters":{}}}]"#

  private static func service(_ place: String = "Oslo") -> FakeSessions {
    let arguments = GeneratedContent(properties: ["at": place, "in": "C"])
    let call = Transcript.ToolCall(id: "c", toolName: "weather", arguments: arguments)
    return FakeSessions { _ in .init(clientCalls: [call]) }
  }

  /// The messages with the output of the call, as a client writes them.
  private static func body(
    more: String = "",
    arguments: String = #"{\"in\":\"C\",\"at\":\"Oslo\"}"#
  ) -> String {
    #"""
    {"model":"coach","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"",
    "tool_calls":[{"id":"c","type":"function","function":{"name":"weather",
    "arguments":"\#(arguments)"}}]},{"role":"tool","tool_call_id":"c","content":"5"}]\#(tools)\#(more)}
    """#
  }

  @Test(arguments: ["", #","store":false"#])
  func `are for the call, however the client writes its arguments`(more: String) async throws {
    let client = RouteClient(Self.service())
    let first = try await client.chat("a", more: Self.tools + more, model: "coach")
    #expect(first.text("choices", "0", "finish_reason") == "tool_calls")
    let next = try await client.ask(.post, OpenAIRoutes.chatCompletions, Self.body(more: more))
    #expect(next.text("choices", "0", "message", "content") == "It is 5")
    #expect(client.service.submitted.map(\.turn) == [1])
    #expect(client.service.submitted.map(\.session) == client.service.prompts.map(\.session))
  }

  @Test func `are for the one turn with the calls after a restart`() async throws {
    let service = Self.service()
    _ = try await RouteClient(service).chat("a", more: Self.tools, model: "coach")
    let restarted = RouteClient(service)
    let other = try await restarted.ask(
      .post,
      OpenAIRoutes.chatCompletions,
      Self.body(arguments: #"{\"at\":\"Rome\",\"in\":\"C\"}"#)
    )
    #expect(other.text("error", "code") == "unknown_call")
    let next = try await restarted.ask(.post, OpenAIRoutes.chatCompletions, Self.body())
    #expect(next.text("choices", "0", "message", "content") == "It is 5")
    #expect(service.submitted.map(\.turn) == [1])
  }

  @Test func `are for none of several turns with the same calls`() async throws {
    let service = Self.service()
    for _ in 1...2 {
      _ = try await RouteClient(service).chat("a", more: Self.tools, model: "coach")
    }
    let next = try await RouteClient(service).ask(
      .post,
      OpenAIRoutes.chatCompletions,
      Self.body()
    )
    #expect(next.text("error", "code") == "unknown_call")
    #expect(service.submitted.isEmpty)
  }

  @Test func `are for the session that is named`() async throws {
    let service = Self.service()
    let named = HTTPFields(.session, "talk")
    _ = try await RouteClient(service).chat("a", more: Self.tools, model: "coach", headers: named)
    _ = try await RouteClient(service).ask(
      .post,
      OpenAIRoutes.chatCompletions,
      Self.body(),
      headers: named
    )
    #expect(service.submitted.map(\.session) == ["talk"])
    #expect(service.submitted.map(\.turn) == [nil])
  }

  @Test func `have the key of their request as their identity`() async throws {
    let service = Self.service()
    let client = RouteClient(service)
    _ = try await client.chat("a", more: Self.tools, model: "coach")
    for _ in 1...2 {
      _ = try await client.ask(
        .post,
        OpenAIRoutes.chatCompletions,
        Self.body(),
        headers: HTTPFields(.idempotencyKey, "k")
      )
    }
    #expect(service.submitted.map(\.id) == ["outputs-k", "outputs-k"])
  }

  @Test func `are asked for in a response that is read`() async throws {
    let client = RouteClient(Self.service())
    let tools = #","tools":[{"type":"function","name":"weather","parameters":{}}]"#
    let first = try await client.respond("a", more: tools, model: "coach")
    let id = try #require(first.text("id"))
    let read = try await client.ask(.get, "/v1/responses/\(id)")
    #expect(read.text("status") == "completed")
    #expect(read.text("output", "0", "type") == "function_call")
    #expect(read.text("output", "0", "call_id") == "c")
    #expect(read.text("usage", "total_tokens") == "13")
  }

  @Test func `may be images, which a model is shown`() async throws {
    let png = PNGFile.noise(2, 1, seed: 1)
    let url = "data:image/png;base64,\(png.base64EncodedString())"
    let client = RouteClient(Self.service())
    _ = try await client.chat("a", more: Self.tools, model: "coach")
    let parts = #"[{"type":"text","text":"5"},{"type":"image_url","image_url":{"url":"\#(url)"}}]"#
    let body = Self.body().replacing(#""content":"5"}"#, with: #""content":\#(parts)}"#)
    #expect(try await client.ask(.post, OpenAIRoutes.chatCompletions, body).status == 200)

    let tools = #","tools":[{"type":"function","name":"weather","parameters":{}}]"#
    let first = try await client.respond("a", more: tools, model: "coach")
    let id = try #require(first.text("id"))
    let answer = try await client.ask(
      .post,
      OpenAIRoutes.responses,
      #"""
      {"model":"coach","previous_response_id":"\#(id)","input":[{"type":"function_call_output",
      "call_id":"c","output":[{"type":"input_text","text":"5"},
      {"type":"input_image","image_url":"\#(url)"}]}]}
      """#
    )
    #expect(answer.status == 200, "\(answer.body)")
    let outputs = client.service.submitted.flatMap(\.outputs)
    #expect(outputs == [1, 2].map { _ in ClientToolOutput(callID: "c", text: "5", images: [png]) })

    let remote = body.replacing(url, with: "https://example.com/a.png")
    let refused = try await client.ask(.post, OpenAIRoutes.chatCompletions, remote)
    #expect(refused.text("error", "code") == "invalid_image")
    #expect(client.service.submitted.count == 2)
  }

  @Test func `are sent alone`() async throws {
    let client = RouteClient(Self.service())
    let body = #"""
      {"model":"coach","previous_response_id":"resp_1","input":[{"type":"function_call_output",
      "call_id":"c","output":"5"},{"role":"user","content":"b"}]}
      """#
    let answer = try await client.ask(.post, OpenAIRoutes.responses, body)
    #expect(answer.status == 400)
    #expect(answer.text("error", "code") == "mixed_outputs")
  }
}
