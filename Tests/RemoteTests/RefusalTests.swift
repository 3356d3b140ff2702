import AgentKit
import Foundation
import Remote
import TestSupport
import Testing

/// A model that refuses to answer.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  private static let filter = "The server's content filter blocked the whole answer."

  /// The error of a request for a structured answer.
  private func fault(_ events: [String]) async throws -> any Error {
    try await TestServer.events(events) { server in
      let session = LanguageModelSession(model: try server.model())
      return try #require(
        await #expect(throws: (any Error).self) {
          try await session.respond(to: "Plan", generating: Trip.self)
        }
      )
    }
  }

  @Test func `Where text was asked for, it is the answer`() async throws {
    let events = [Sent.refusal("I will "), Sent.refusal("not."), Sent.end(), Sent.done]
    try await TestServer.events(events) { server in
      let answer = try await server.ask().content
      #expect(answer == "I will not.")
    }
  }

  @Test func `Where a schema was to be met, it is an error in the model's words`() async throws {
    let error = try await fault([
      Sent.refusal("I will "), Sent.refusal("not."), Sent.end(), Sent.done,
    ])
    guard case .refusal(let facts) = error as? LanguageModelError else {
      Issue.record("\(error)")
      return
    }
    let explanation = try await facts.explanation.content
    #expect(explanation == "I will not.")
    #expect(facts.debugDescription.contains("127.0.0.1"))
    #expect(TurnExit(throwing: error) == .refused("I will not."))
  }

  @Test func `A server that does not stream refuses alike`() async throws {
    let body = #"{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}"#
    try await TestServer.run { connection in
      try await connection.respond("200 OK", body: body)
    } _: { server in
      let session = LanguageModelSession(model: try server.model())
      let error = try #require(
        await #expect(throws: LanguageModelError.self) {
          try await session.respond(to: "Plan", generating: Trip.self)
        }
      )
      #expect(TurnExit(throwing: error) == .refused("No."))
    }
  }

  @Test func `Half of one is a stream that breaks off`() async throws {
    let error = try await fault([Sent.refusal("I will ")])
    #expect("\(error)".contains("broke off in the middle"))
  }

  @Test func `An answer of which a filter leaves nothing is one`() async throws {
    let events = [Sent.thought("Hm."), Sent.end("content_filter"), Sent.done]
    let error = try await fault(events)
    #expect(TurnExit(throwing: error) == .refused(Self.filter))
    try await TestServer.events(events) { server in
      let error = try #require(
        await #expect(throws: LanguageModelError.self) { try await server.ask() }
      )
      #expect(TurnExit(throwing: error) == .refused(Self.filter))
    }
  }

  @Test(arguments: [
    ("401 Unauthorized", "", "(401): no reason was given. Check the key of this server."),
    ("404 Not Found", "404 page not found", "page not found. Check the address of the server"),
    ("308 Permanent Redirect", "", "It redirects requests: check the address"),
  ])
  func `Where a server gives no reason it is said what can be done`(
    status: String,
    body: String,
    words: String
  ) async throws {
    try await TestServer.run {
      try await $0.respond(status, type: "text/plain", body: body)
    } _: { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.RequestError.self) {
        try await server.ask()
      }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
  }
}
