import AgentKit
import Foundation
import TestSupport
import Testing

@testable import Remote

/// Limits on the answer for which a server has no room, and what it is asked instead.
@Suite(.timeLimit(.minutes(5))) struct RefusedBoundTests {
  /// Refuses requests with each of the messages in turn and then answers with the events.
  ///
  /// The connection stays open behind them.
  private func refusing<Result: Sendable>(
    _ messages: [String],
    events: [String] = [Sent.text("Yes."), Sent.end(), Sent.done],
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let refusals = messages.map { message in
      TestServer.refusal(
        "400 Bad Request",
        body: #"{"error":{"message":"\#(message)","type":"BadRequestError","code":400}}"#
      )
    }
    let answer: TestServer.Answer = { connection in
      try await TestServer.events(events)(connection)
      await connection.waitForClose()
    }
    return try await TestServer.answers(refusals + [answer], body)
  }

  /// Expects the server to have been sent these limits, one with each request.
  private func expectBounds(_ bounds: [Int?], _ server: TestServer) throws {
    let requests = try server.received.map { try $0.fields() }
    #expect(requests.map { $0["max_completion_tokens"] as? Int } == bounds)
    #expect(requests.map { $0["max_tokens"] as? Int } == bounds)
  }

  /// Expects an overflow of the window.
  private func expectOverflow(
    of contextSize: Int,
    _ tokenCount: Int,
    _ server: TestServer
  ) async {
    let error = await #expect(throws: LanguageModelError.self) {
      try await server.ask(options: Self.options)
    }
    guard case .contextSizeExceeded(let facts) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(facts.contextSize == contextSize)
    #expect(facts.tokenCount == tokenCount)
  }

  private static let options = GenerationOptions(maximumResponseTokens: 8192)

  /// vLLM's refusal of 8192 tokens behind a prompt of 120.
  private static let noRoom =
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context"
    + " length is 8192 tokens and your request has 120 input tokens (8192 > 8192 - 120)."

  /// Refusals, and the most that they let an answer have.
  private static let roomy: [(String, Int)] = [
    (noRoom, 8072),
    (
      """
      This model's maximum context length is 8192 tokens. However, you requested 8192 output \
      tokens and your prompt contains 120 input tokens, for a total of 8312 tokens.
      """, 8072
    ),
    (
      """
      This model's maximum context length is 4097 tokens. However, you requested 12119 tokens \
      (3900 in the messages, 27 in the functions, and 8192 in the completion).
      """, 170
    ),
    (
      """
      You passed 120 input tokens and requested 8192 output tokens. However, the model's context \
      length is only 8192 tokens, resulting in a maximum input length of 0 tokens.
      """, 8072
    ),
    (
      """
      Requested token count exceeds the model's maximum context length of 8192 tokens. You \
      requested a total of 8312 tokens: 120 tokens from the input messages and 8192 tokens for \
      the completion.
      """, 8072
    ),
    (
      """
      max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas \
      you provided 8192.
      """, 4096
    ),
  ]

  @Test(arguments: roomy)
  func `The server is asked for as much as it has room for`(words: String, room: Int) async throws {
    try await refusing([words]) { server in
      let answer = try await server.ask(options: Self.options).content
      #expect(answer == "Yes.")
      try expectBounds([8192, room], server)
    }
  }

  @Test(arguments: [
    "It exceeds the maximum context length.",
    "This model's maximum context length is 8192 tokens. However, you requested 8312 tokens.",
    // The prompt is counted only up to the first token that does not fit.
    """
    This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens \
    and your prompt contains at least 8193 input tokens, for a total of at least 16385 tokens.
    """,
  ])
  func `A server that does not say how much room it has is asked without a limit`(
    words: String
  ) async throws {
    try await refusing([words]) { server in
      let answer = try await server.ask(options: Self.options).content
      #expect(answer == "Yes.")
      try expectBounds([8192, nil], server)
    }
  }

  @Test func `A limit is sent under its new name before it is left out`() async throws {
    let words = "Invalid max_tokens value, the valid range is [1, 4096]."
    try await refusing([words, words]) { server in
      let answer = try await server.ask(options: Self.options).content
      #expect(answer == "Yes.")
      let requests = try server.received.map { try $0.fields() }
      #expect(requests.map { $0["max_tokens"] as? Int } == [8192, nil, nil])
      #expect(requests.map { $0["max_completion_tokens"] as? Int } == [8192, 8192, nil])
    }
  }

  @Test func `A limit that is refused twice is left out`() async throws {
    try await refusing([Self.noRoom, Self.noRoom]) { server in
      let answer = try await server.ask(options: Self.options).content
      #expect(answer == "Yes.")
      try expectBounds([8192, 8072, nil], server)
    }
  }

  // MARK: Prompts

  @Test(arguments: [
    "your request has 9300 input tokens. Please reduce the length of the input messages.",
    "your messages resulted in 9300 tokens. Please reduce the length of the messages.",
    "you requested 17492 tokens (9300 in the messages, 8192 in the completion).",
    "you requested 8192 output tokens and your prompt contains 9300 input tokens.",
  ])
  func `A prompt that is too long by itself is an overflow at once`(words: String) async throws {
    let window = "This model's maximum context length is 8192 tokens."
    try await refusing(["\(window) However, \(words)"]) { server in
      await expectOverflow(of: 8192, 9300, server)
      #expect(server.received.count == 1)
    }
  }

  @Test func `A prompt that leaves room for nothing is too long`() async throws {
    let words = """
      This model's maximum context length is 8192 tokens. However, you requested 16384 tokens \
      (8192 in the messages, 8192 in the completion).
      """
    try await refusing([words]) { server in
      await expectOverflow(of: 8192, 8192, server)
    }
  }

  @Test func `A prompt that does not fit without a limit either is too long`() async throws {
    let words = "This model's maximum context length is 8192 tokens. However, you requested"
    try await refusing(["\(words) 17492 tokens.", "\(words) 9300 tokens."]) { server in
      await expectOverflow(of: 8192, 9300, server)
      try expectBounds([8192, nil], server)
    }
  }

  @Test func `Sizes beyond all measure are no fault`() {
    let huge = String(repeating: "9", count: 18)
    let parts = "\(huge) in the messages, \(huge) in the functions"
    let sizes = StatedSizes("The maximum context length is 99\(huge) tokens: \(parts).")
    #expect(sizes.isPromptFitting == false)
  }

  // MARK: Ends

  @Test func `An answer that ends at a lowered limit was cut off by the server`() async throws {
    let usage = #"{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":8072}}"#
    for figures in [[usage], []] {
      let events = [Sent.text("So far"), Sent.end("length")] + figures + [Sent.done]
      try await refusing([Self.noRoom], events: events) { server in
        let answer = try await server.ask(options: Self.options)
        #expect(answer.content == "So far")
        #expect(answer.exit == .cap("length"))
      }
    }
  }

  @Test func `A required call that a lowered limit cuts off ends the turn at it`() async throws {
    let events = [Sent.text("Let me"), Sent.end("length"), Sent.done]
    try await refusing([Self.noRoom], events: events) { server in
      let options = GenerationOptions(maximumResponseTokens: 8192, toolCallingMode: .required)
      let answer = try await server.ask(tools: [Weather()], options: options)
      #expect(answer.exit == .cap("length"))
    }
  }

  @Test func `A server without a limit is not listened to beyond it`() async throws {
    let words = "It exceeds the maximum context length."
    let events = ["One", " two", " three", " four", " five"].map(Sent.text)
    try await refusing([words], events: events) { server in
      let answer = try await server.ask(options: .init(maximumResponseTokens: 3))
      #expect(answer.content == "One two three")
      #expect(answer.usage.output.totalTokenCount == 3)
      #expect(answer.exit == .answered)
    }
  }
}
