import Coordination
import Coordinator
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Transcripts

@testable import Doors

/// Clients of the routes over a service.
struct RouteClient: Sendable {
  let service: FakeSessions
  private let sessions = ModelSessions()

  init(_ service: FakeSessions = FakeSessions()) { self.service = service }

  struct Answer {
    var status: Int
    var headers: HTTPFields
    var body: String
    var json: GeneratedContent? { try? GeneratedContent(json: body) }

    /// Returns the text at a path of keys and places.
    func text(_ path: String...) -> String? {
      var content = json
      for step in path {
        switch content?.kind {
        case .structure(let properties, _): content = properties[step]
        case .array(let elements): content = Int(step).map { elements[$0] }
        default: return nil
        }
      }
      if case .string(let text)? = content?.kind { return text }
      return content?.jsonString
    }
  }

  func ask(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ body: String = "",
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    let router = Routes(service: service, modelSessions: sessions).router()
    return try await Application(router: router).test(.router) { client in
      try await client.execute(
        uri: path,
        method: method,
        headers: headers,
        body: ByteBuffer(string: body)
      ) { Answer(status: $0.status.code, headers: $0.headers, body: String(buffer: $0.body)) }
    }
  }

  /// Asks for a chat completion.
  /// - Parameter texts: What the user and the assistant say, in turn.
  func chat(
    _ texts: String...,
    more: String = "",
    model: String = "clerk",
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    try await chat(texts, more: more, model: model, headers: headers)
  }

  func chat(
    _ texts: [String],
    more: String = "",
    model: String = "clerk",
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    let messages = texts.enumerated().map { place, text in
      #"{"role":"\#(place % 2 == 0 ? "user" : "assistant")","content":"\#(text)"}"#
    }
    return try await ask(
      .post,
      OpenAIRoutes.chatCompletions,
      #"{"model":"\#(model)","messages":[\#(messages.joined(separator: ","))]\#(more)}"#,
      headers: headers
    )
  }

  func respond(
    _ input: String,
    more: String = "",
    model: String = "clerk",
    headers: HTTPFields = [:]
  ) async throws -> Answer {
    try await ask(
      .post,
      OpenAIRoutes.responses,
      #"{"model":"\#(model)","input":"\#(input)"\#(more)}"#,
      headers: headers
    )
  }
}

extension HTTPFields {
  /// Makes a header with one field.
  init(_ field: DoorField, _ value: String) {
    self.init()
    self[field] = value
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The routes for OpenAI's clients` {
  @Test func `list agents as models`() async throws {
    let client = RouteClient()
    let list = try await client.ask(.get, OpenAIRoutes.models)
    #expect(
      list.body
        == #"{"object": "list", "data": [{"id": "orchestrator", "object": "model", "created": 100, "#
        + #""owned_by": "orchestrator", "description": "It files.", "context_length": 4096}, "#
        + #"{"id": "orchestrator/plain", "object": "model", "created": 100, "owned_by": "#
        + #""orchestrator", "description": "It files.", "context_length": 4096}, {"id": "clerk", "#
        + #""object": "model", "created": 100, "owned_by": "orchestrator", "description": "#
        + #""It files.", "context_length": 4096}, {"id": "coach", "object": "model", "created": "#
        + #"100, "owned_by": "orchestrator", "description": "It helps."}]}"#
    )
    #expect(try await client.ask(.get, "/v1/models/coach").text("id") == "coach")
    for path in ["/v1/models/orchestrator/plain", "/v1/models/orchestrator%2Fplain"] {
      #expect(try await client.ask(.get, path).text("id") == "orchestrator/plain")
    }
    let missing = try await client.ask(.get, "/v1/models/nemo")
    #expect(missing.status == 404)
    #expect(missing.text("error", "code") == "model_not_found")
  }

  @Test func `answer a chat in a session that goes on with its messages`() async throws {
    let client = RouteClient()
    let first = try await client.chat("a", headers: [.userAgent: "Some/1.0"])
    #expect(first.status == 200)
    #expect(first.headers[.contentType] == "application/json")
    #expect(first.headers[.requestID]?.hasPrefix("req_") == true)
    #expect(first.headers[.processingTime] != nil)
    #expect(first.headers[.turn] == "1")
    #expect(first.text("id") == "chatcmpl-1")
    #expect(first.text("choices", "0", "message", "content") == "You said a")
    #expect(first.text("usage", "total_tokens") == "13")
    let session = try #require(first.headers[.session])
    #expect(session.hasPrefix("chat-"))

    let second = try await client.chat("a", " You said a\\n", "b")
    #expect(second.headers[.session] == session)
    // The same message again, in place of the last: an answer that is to be given anew.
    let again = try await client.chat("a", "You said a", "c")
    let fork = try #require(again.headers[.session])
    #expect(fork != session)
    #expect(client.service.forks.map(\.session) == [session])
    #expect(client.service.forks.map(\.turn) == [1])
    let onward = try await client.chat("a", "You said a", "c", "You said c", "d")
    #expect(onward.headers[.session] == fork)
    let other = try await client.chat("a")
    #expect(other.headers[.session] != session)

    let prompts = client.service.prompts
    #expect(prompts.map(\.prompt) == ["a", "b", "c", "d", "a"])
    #expect(
      prompts.allSatisfy { $0.history == nil && $0.agent == "clerk" && $0.isTemporary == nil }
    )
    #expect(prompts[0].origin == "Some/1.0")
  }

  @Test func `begin a session with the messages of a client that nothing is known of`() async throws
  {
    let client = RouteClient()
    let answer = try await client.chat("a", "b", "c", model: "orchestrator")
    #expect(answer.status == 200)
    let prompt = try #require(client.service.prompts.first)
    #expect(prompt.history?.map(\.entry.text) == ["a", "b"])
    #expect(prompt.prompt == "c")
    #expect(prompt.agent == nil)
    let next = try await client.chat("a", "b", "c", "You said c", "d", model: "orchestrator")
    #expect(next.headers[.session] == answer.headers[.session])
  }

  @Test func `take the session that a header or the metadata names`() async throws {
    let client = RouteClient()
    let named = HTTPFields(.session, "talk")
    _ = try await client.chat("a", headers: named)
    _ = try await client.chat("a", "You said a", "b", headers: named)
    _ = try await client.chat("c", more: #","metadata":{"session":"talk"}"#)
    _ = try await client.chat("d", headers: HTTPFields(.openWebUIChat, "5-7"))
    #expect(client.service.prompts.map(\.session) == ["talk", "talk", "talk", "owui-5-7-clerk"])
    // An edited message, which goes on in the fork although the name is the old one.
    let edited = try await client.chat("a", "You said a", "x", headers: named)
    let fork = try #require(edited.headers[.session])
    #expect(client.service.forks.map(\.session) == ["talk"])
    let next = try await client.chat("a", "You said a", "x", "You said x", "y", headers: named)
    #expect(next.headers[.session] == fork)
  }

  @Test func `begin a session for the first message of a chat that is sent anew`() async throws {
    let client = RouteClient()
    let chat = HTTPFields(.openWebUIChat, "5")
    let first = try await client.chat("a", headers: chat)
    #expect(first.headers[.session] == "owui-5-clerk")
    let edited = try await client.chat("x", headers: chat)
    let other = try #require(edited.headers[.session])
    #expect(other.hasPrefix("chat-"))
    #expect(client.service.prompts.last?.history == nil)
    let next = try await client.chat("x", "You said x", "y", headers: chat)
    #expect(next.headers[.session] == other)
    // A client that goes back to the first version finds its session as it was.
    let back = try await client.chat("a", "You said a", "b", headers: chat)
    #expect(back.headers[.session] == "owui-5-clerk")
  }

  @Test(arguments: [nil, "5"] as [String?])
  func `go on in the session after an answer that was stopped`(chat: String?) async throws {
    let client = RouteClient(
      FakeSessions { request in
        request.prompt == "b"
          ? .init(exit: .cancelled) : .init(answer: "You said \(request.prompt)")
      }
    )
    let headers = chat.map { HTTPFields(.openWebUIChat, $0) } ?? [:]
    let first = try await client.chat("a", headers: headers)
    let session = first.headers[.session]
    _ = try await client.chat("a", "You said a", "b", headers: headers)
    let next = try await client.chat("a", "You said a", "b", "", "c", headers: headers)
    #expect(next.headers[.session] == session)
    #expect(client.service.prompts.map(\.prompt) == ["a", "b", "b\n\nc"])
    #expect(client.service.forks.isEmpty)
    let more = ["a", "You said a", "b", "", "c", "You said b\n\nc", "d"]
    #expect(try await client.chat(more, headers: headers).headers[.session] == session)
    // Unlike the question, words of an answer that was stopped are in no session.
    let words = ["a", "You said a", "b", "You sa", "c"]
    let other = try await client.chat(words, headers: headers)
    #expect(other.headers[.session] != session)
    #expect(client.service.prompts.last?.history?.map(\.entry.text) == Array(words.dropLast()))
  }

  @Test func `keep nothing where the client asks so, or asks for itself`() async throws {
    let client = RouteClient()
    _ = try await client.chat("a", more: #","store":false"#)
    _ = try await client.chat("a", headers: HTTPFields(.session, "-"))
    _ = try await client.chat("### Task: Make a title.", headers: HTTPFields(.openWebUIChat, "5"))
    _ = try await client.chat("a", model: "orchestrator/plain")
    #expect(client.service.prompts.allSatisfy { $0.isTemporary == true })
    #expect(client.service.prompts.allSatisfy { $0.session.hasPrefix("temporary-") })
  }

  @Test func `stream chunks, and say what was ignored`() async throws {
    let client = RouteClient()
    let answer = try await client.chat(
      "a",
      more: #","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"mcp"}]"#
    )
    #expect(answer.headers[.contentType] == "text/event-stream")
    #expect(answer.headers[.cacheControl] == "no-cache")
    #expect(answer.headers[.ignored] == "tools")
    #expect(answer.headers[.turn] == "1")
    let lines = answer.body.split(separator: "\n\n")
    #expect(lines.count == 5)
    #expect(lines.last == "data: [DONE]")
  }

  @Test func `answer a request that is sent again once`() async throws {
    let client = RouteClient()
    let headers = HTTPFields(.idempotencyKey, "k")
    let first = try await client.chat("a", headers: headers)
    let again = try await client.chat("a", headers: headers)
    #expect(again.status == 200)
    #expect(again.text("choices", "0", "message") == first.text("choices", "0", "message"))
    #expect(again.headers[.session] == first.headers[.session])
    #expect(client.service.prompts.count == 1)
    let other = try await client.chat("b", headers: headers)
    #expect(other.status == 400)
    #expect(other.text("error", "code") == "idempotency_key_reused")
  }

  @Test(arguments: [
    (ConversationError.noAgents as any Error, 503, "no_agents", true),
    (ConversationError.unusableAgent("clerk", problem: "no"), 503, "agent_does_not_compile", true),
    (ConversationError.closed, 503, "stopping", true),
    (ConversationError.tooManyWaiting(16), 429, "session_busy", true),
    (ConversationError.noSuchAgent("nemo"), 404, "model_not_found", true),
    (ConversationError.badImage("a", flaw: "b"), 400, "invalid_image", true),
    (ConversationError.promptTooLarge(bytes: 2, limit: 1), 413, "request_too_large", true),
    (CocoaError(.fileNoSuchFile), 500, "internal_error", false),
  ])
  func `refuse with a status that says whether to try again`(
    error: any Error,
    status: Int,
    code: String,
    mayRetry: Bool
  ) async throws {
    let client = RouteClient(FakeSessions { _ in throw error })
    for more in ["", #","stream":true"#] {
      let answer = try await client.chat("a", more: more)
      #expect(answer.status == status)
      #expect(answer.text("error", "code") == code)
      #expect(answer.headers[.shouldRetry] == (mayRetry ? nil : "false"))
      #expect(answer.headers[.requestID] != nil)
    }
    // What was not accepted can be asked again.
    let key = HTTPFields(.idempotencyKey, "k")
    for _ in 1...2 { #expect(try await client.chat("a", headers: key).status == status) }
  }

  @Test func `fail with a status as a whole, and with an event in a stream`() async throws {
    let client = RouteClient(FakeSessions { _ in .init(exit: .failed("lost")) })
    let whole = try await client.chat("a")
    #expect(whole.status == 500)
    #expect(whole.headers[.shouldRetry] == "false")
    #expect(whole.text("error", "code") == "turn_failed")
    let stream = try await client.chat("a", more: #","stream":true"#)
    #expect(stream.status == 200)
    #expect(stream.body.contains(#"data: {"error": {"message": "lost""#))
    #expect(stream.body.hasSuffix("data: [DONE]\n\n"))
    // A client that goes on all the same has nothing to go on from.
    _ = try await client.chat("a", "", "b")
    #expect(client.service.prompts.last?.history == nil)
    #expect(client.service.prompts.last?.prompt == "a\n\nb")
  }

  @Test func `let the client perform its own functions, for agents that take them`() async throws {
    let call = Transcript.ToolCall(
      id: "c",
      toolName: "weather",
      arguments: GeneratedContent(properties: ["at": "Oslo"])
    )
    let client = RouteClient(
      FakeSessions { request in
        request.options?.clientTools == nil ? .init(answer: "no") : .init(clientCalls: [call])
      }
    )
    let tools = #","tools":[{"type":"function","function":{"name":"weather","parameters":{}}}]"#
    let answer = try await client.chat("a", more: tools, model: "coach")
    #expect(answer.text("choices", "0", "finish_reason") == "tool_calls")
    #expect(answer.text("choices", "0", "message", "tool_calls", "0", "id") == "c")
    #expect(answer.text("usage", "total_tokens") == "13")
    #expect(answer.headers[.ignored] == nil)
    let body = #"""
      {"model":"coach","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"",
      "tool_calls":[{"id":"c","type":"function","function":{"name":"weather",
      "arguments":"{\"at\": \"Oslo\"}"}}]},{"role":"tool","tool_call_id":"c","content":"5"}]\#(tools)}
      """#
    let next = try await client.ask(.post, OpenAIRoutes.chatCompletions, body)
    #expect(next.text("choices", "0", "message", "content") == "It is 5")
    #expect(client.service.submitted.map(\.turn) == [1])
    #expect(client.service.submitted.first?.outputs == [.init(callID: "c", text: "5")])
    #expect(client.service.prompts.count == 1)
    let other = try await client.chat("a", more: tools)
    #expect(other.text("choices", "0", "message", "content") == "no")
    #expect(other.headers[.ignored] == "tools")
  }

  @Test func `take no output for a call that nothing waits for`() async throws {
    let client = RouteClient()
    let body = """
      {"model":"clerk","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":
      [{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c","content":"5"}]}
      """
    let answer = try await client.ask(.post, OpenAIRoutes.chatCompletions, body)
    #expect(answer.status == 400)
    #expect(answer.text("error", "code") == "unknown_call")
    #expect(client.service.prompts.isEmpty)
  }

  @Test func `name what they do not have`() async throws {
    let client = RouteClient()
    for (method, path, code) in [
      (.get, "/v1/chat/completions", "not_found"), (.post, "/v1/embeddings", "not_found"),
      (.get, "/v1/responses/7", "response_not_found"),
      (.get, "/v1/responses/resp_7", "response_not_found"),
      (.delete, "/v1/responses/resp_7", "response_not_found"),
    ] as [(HTTPRequest.Method, String, String)] {
      let answer = try await client.ask(method, path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.text("error", "code") == code, "\(path)")
      #expect(answer.headers[.requestID] != nil, "\(path)")
    }
    let unknown = try await client.chat("a", model: "nemo")
    #expect(unknown.status == 404)
    #expect(unknown.text("error", "param") == "model")
    #expect(client.service.prompts.isEmpty)
  }

  // MARK: Responses

  @Test func `go on from a response, and fork from an earlier one`() async throws {
    let client = RouteClient()
    let first = try await client.respond("a", more: #","metadata":{"x":"y"},"temperature":0.5"#)
    #expect(first.status == 200)
    let id = try #require(first.text("id"))
    #expect(first.text("output", "0", "content", "0", "text") == "You said a")
    #expect(first.text("metadata", "x") == "y")
    #expect(first.text("metadata", "holder") == "clerk")
    #expect(first.text("temperature") == "0.5")
    let session = try #require(first.headers[.session])
    #expect(first.text("conversation", "id") == "conv_\(session)")
    let previous = #","previous_response_id":"\#(id)""#
    #expect(try await client.respond("b", more: previous).headers[.session] == session)
    let fork = try await client.respond("c", more: previous)
    #expect(fork.headers[.session] != session)
    #expect(client.service.forks.map(\.turn) == [1])
    let named = try await client.respond("d", more: #","conversation":"conv_\#(session)""#)
    #expect(named.headers[.session] == session)
    let missing = try await client.respond("e", more: #","previous_response_id":"resp_99""#)
    #expect(missing.status == 404)
    #expect(missing.text("error", "code") == "previous_response_not_found")

    let read = try await client.ask(.get, "/v1/responses/\(id)")
    #expect(read.text("output") == first.text("output"))
    #expect(read.text("usage") == first.text("usage"))
    #expect(read.text("metadata") == first.text("metadata"))
    let kept = try await client.ask(.delete, "/v1/responses/\(id)")
    #expect(kept.text("error", "code") == "response_in_conversation")
  }

  @Test func `stream a response as events`() async throws {
    let answer = try await RouteClient().respond("a", more: #","stream":true"#)
    let names = answer.body.split(separator: "\n").filter { $0.hasPrefix("event: ") }
    #expect(names.first == "event: response.created")
    #expect(names.last == "event: response.completed")
    #expect(!answer.body.contains("[DONE]"))
  }

  @Test func `say how many of the tokens were reasoning, also of a response that is read later`()
    async throws
  {
    let client = RouteClient(
      FakeSessions { _ in
        .init(
          answer: "Thought.",
          usage: RequestUsage(tokensIn: 10, tokensCached: 4, tokensOut: 9, reasoningTokens: 7)
        )
      }
    )
    let chat = try await client.chat("a")
    #expect(chat.text("usage", "completion_tokens") == "9")
    #expect(chat.text("usage", "completion_tokens_details", "reasoning_tokens") == "7")
    let response = try await client.respond("a")
    let read = try await client.ask(.get, "/v1/responses/\(try #require(response.text("id")))")
    for answer in [response, read] {
      #expect(answer.text("usage", "output_tokens") == "9")
      #expect(answer.text("usage", "output_tokens_details", "reasoning_tokens") == "7")
    }
  }

  @Test func `delete a response that is alone in its session`() async throws {
    let client = RouteClient()
    let first = try await client.respond("a")
    let id = try #require(first.text("id"))
    let deleted = try await client.ask(.delete, "/v1/responses/\(id)")
    #expect(deleted.body == #"{"id": "\#(id)", "object": "response", "deleted": true}"#)
    #expect(client.service.deleted == [first.headers[.session]])
    #expect(try await client.ask(.get, "/v1/responses/\(id)").status == 404)
  }

  @Test func `answer in the background until cancelled`() async throws {
    let client = RouteClient(FakeSessions { _ in .init(isEndless: true) })
    let begun = try await client.respond("a", more: #","background":true"#)
    #expect(begun.status == 200)
    #expect(begun.text("status") == "in_progress")
    #expect(begun.text("background") == "true")
    let id = try #require(begun.text("id"))
    #expect(try await client.ask(.get, "/v1/responses/\(id)").text("status") == "in_progress")
    let cancelled = try await client.ask(.post, "/v1/responses/\(id)/cancel")
    #expect(cancelled.text("status") == "cancelled")
    #expect(
      client.service.cancelled == [begun.headers[.session] ?? client.service.prompts[0].session]
    )
  }
}
