import Coordination
import Coordinator
import Foundation
import Hummingbird
import Testing
import Transcripts

@testable import Doors

@Suite(.timeLimit(.minutes(5))) struct `A turn of OpenAI's clients that is joined` {
  private static let earlier: [TurnEvent] = [
    .resumed(turn: 90, conversation: "talk", prompt: "z"), .trouble("It was interrupted."),
    .answered(agent: "clerk", text: "Old."),
    `What a client is told of a turn`.summary(answer: "Old."),
  ]

  @Test(arguments: ["", #","stream":true"#])
  func `does not answer with the turn before it`(more: String) async throws {
    let client = RouteClient(FakeSessions { _ in .init(earlier: Self.earlier, answer: "New.") })
    let answer = try await client.chat("a", more: more)
    #expect(answer.headers[.turn] == "1")
    #expect(answer.body.contains("New."))
    #expect(!answer.body.contains("Old."))
  }

  @Test func `begins in the background after the turn before it`() async throws {
    let client = RouteClient(FakeSessions { _ in .init(earlier: Self.earlier, isEndless: true) })
    let answer = try await client.respond("a", more: #","background":true"#)
    #expect(answer.status == 200)
    #expect(answer.text("id") == "\(ResponseID(turn: 1))")
    client.service.breakOff()
  }

  @Test(
    arguments: [
      ("clerk/plain", "a", [:]), ("clerk", "### Task: Make a title.", [:]),
      ("clerk", "a", HTTPFields(.session, "-")),
    ] as [(String, String, HTTPFields)]
  )
  func `is not in the background where its session is not kept`(
    model: String,
    input: String,
    headers: HTTPFields
  ) async throws {
    let client = RouteClient()
    let more = #","background":true"#
    let answer = try await client.respond(input, more: more, model: model, headers: headers)
    #expect(answer.status == 400)
    #expect(answer.text("error", "param") == "background")
    #expect(client.service.prompts.isEmpty)
  }

  @Test func `is streamed in the background with the options that it was sent with`() async throws {
    let client = RouteClient(FakeSessions { _ in .init(earlier: Self.earlier, isEndless: true) })
    async let answer = client.respond(
      "a",
      more: #","background":true,"stream":true,"instructions":"Be brief.","temperature":0.5"#
    )
    // The turn has no end; it breaks off once the stream has joined it.
    while client.service.joined == 0 { await Task.yield() }
    client.service.breakOff()
    let stream = try await answer
    #expect(stream.status == 200)
    #expect(stream.body.contains("event: response.created"))
    #expect(!stream.body.contains("Old."))
  }

  @Test func `has its key from before the service knows it until it is refused`() async throws {
    let sessions = ModelSessions()
    let body = Data("a".utf8)
    #expect(try sessions.reserve("k", body: body) == nil)
    let error = #expect(throws: OpenAIError.self) { try sessions.reserve("k", body: body) }
    #expect(error?.code == "request_in_progress")
    #expect(error?.retryAfter == 1)
    let other = #expect(throws: OpenAIError.self) {
      try sessions.reserve("k", body: Data("b".utf8))
    }
    #expect(other?.code == "idempotency_key_reused")
    sessions.forget(key: "k")
    // No event comes: the prompt is refused after it has waited.
    let service = FakeSessions { _ in .init(earlier: Self.earlier, isRefused: true) }
    let desk = ModelDesk(service: service, sessions: sessions, interval: .seconds(5))
    var request = ModelRequest(ModelName("clerk"))
    request.messages = [ClientMessage(role: .user, text: "a")]
    for _ in 1...2 {
      let answer = try await desk.ask(request, RequestSource(key: "k", body: body))
      var writer = AnswerWriter(answer, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
      try await writer.complete()
      #expect(writer.turn == nil)
    }
    #expect(service.prompts.count == 2)
    #expect(service.joined == 0)
  }

  @Test func `is gone on from by one of two requests that come at once`() async throws {
    let sessions = ModelSessions()
    let service = FakeSessions()
    let talk = ModelDesk(service: service, sessions: sessions, interval: .seconds(5))
    var request = ModelRequest(ModelName("clerk"))
    request.messages = [ClientMessage(role: .user, text: "a")]
    func complete(_ answer: ModelAnswer) async throws -> String {
      var writer = AnswerWriter(answer, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
      try await writer.complete()
      return answer.session
    }
    let session = try await complete(talk.ask(request, RequestSource()))
    #expect(sessions.takeUp(1) == 1)
    request.messages += [
      ClientMessage(role: .assistant, text: "You said a"), ClientMessage(role: .user, text: "b"),
    ]
    // The turn is still the latest of its session.
    #expect(try await complete(talk.ask(request, RequestSource())) != session)
    #expect(service.forks.map(\.turn) == [1])
    sessions.release(turn: 1)
    let answer = try await talk.ask(request, RequestSource())
    #expect(answer.session == session)
    #expect(sessions.takeUp(1) == nil)
    // A request that was not accepted lets others go on.
    AnswerWriter(answer, sessions, ChatCompletionEncoder(model: "clerk", created: 9)).abandon()
    #expect(sessions.takeUp(1) == 1)
    sessions.release(turn: 1)
    // Its own turn is the latest now.
    #expect(try await complete(talk.ask(request, RequestSource())) != session)
    #expect(service.forks.map(\.turn) == [1, 1])
    // One whose turn has begun lets others go on, too: that turn may be taken back.
    #expect(sessions.takeUp(1) == 1)
  }

  @Test func `is joined by a request with the same key and options`() async throws {
    let sessions = ModelSessions()
    let service = FakeSessions { _ in .init(isEndless: true) }
    let desk = ModelDesk(service: service, sessions: sessions, interval: .seconds(5))
    var request = ModelRequest(ModelName("clerk"))
    request.messages = [ClientMessage(role: .user, text: "a")]
    request.instructions = ["Be brief."]
    request.parameters.clientTools = [
      ClientTool(name: "f", description: "", parameters: JSONSchema(.init(properties: [:])))
    ]
    let source = RequestSource(key: "k", body: Data("a".utf8))
    let first = try await desk.ask(request, source)
    var writer = AnswerWriter(first, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
    try await writer.begin()
    let second = try await desk.ask(request, source)
    #expect(second.session == first.session)
    #expect(service.joined == 1)
    // The agent takes no functions of clients.
    #expect(second.request.parameters.ignored == ["tools"])
    var again = AnswerWriter(second, sessions, ChatCompletionEncoder(model: "clerk", created: 9))
    try await again.begin()
    #expect(again.turn == writer.turn)
    service.breakOff()
  }
}
