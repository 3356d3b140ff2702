import AgentKit
import FlyingSocks
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Remote

/// A turn in which sessions wait for servers.
private final class Turn: Orchestration {
  let timeLeftAtFirst: Duration
  let traceparent: String?
  private let begun = SuspendingClock.now
  private let all = Mutex<[ServerWait]>([])
  private let onWait: @Sendable (ServerWait) -> Void

  init(
    timeLeft: Duration = .seconds(60),
    traceparent: String? = nil,
    onWait: @escaping @Sendable (ServerWait) -> Void = { _ in }
  ) {
    timeLeftAtFirst = timeLeft
    self.traceparent = traceparent
    self.onWait = onWait
  }

  var waits: [ServerWait] { all.withLock { $0 } }
  var timeLeft: Duration { timeLeftAtFirst - begun.duration(to: .now) }

  func note(_ wait: ServerWait) {
    all.withLock { $0.append(wait) }
    onWait(wait)
  }

  func passBaton(to agent: String) async throws -> BatonAnswer { BatonAnswer(holder: agent) }

  func phone(
    _ agent: String,
    with prompt: String,
    for call: Transcript.ToolCall
  ) async throws -> FriendAnswer { .failed("it is not there") }

  func ask(_ request: MCPRequest, for call: Transcript.ToolCall) async throws -> MCPAnswer {
    .failed("it is not there")
  }

  func run<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await OrchestrationContext.$current.withValue(self) { try await body() }
  }
}

/// A server that refuses a request for a while.
@Suite(.timeLimit(.minutes(5))) struct `A server that refuses for a while` {
  typealias RequestError = ChatCompletionsLanguageModel.RequestError
  typealias APIError = ChatCompletionsLanguageModel.APIError

  private let yes = TestServer.events([Sent.text("Yes."), Sent.end(), Sent.done])

  /// What becomes of one prompt in a turn.
  private func ask(
    _ turn: Turn,
    _ answers: [TestServer.Answer]
  ) async throws -> (result: Result<String, any Error>, requests: [String]) {
    try await TestServer.answers(answers) { server in
      let result: Result<String, any Error>
      do {
        result = .success(try await turn.run { try await server.ask().content })
      } catch {
        result = .failure(error)
      }
      return (result, server.received.map(\.body))
    }
  }

  @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 529])
  func `is asked again with the same request, and the wait is shown`(status: Int) async throws {
    let turn = Turn()
    let (result, requests) = try await ask(turn, [TestServer.refusal("\(status) Refused"), yes])
    #expect(try result.get() == "Yes.")
    #expect(requests.count == 2 && requests.first == requests.last)
    #expect(turn.waits.count == 1)
    let wait = try #require(turn.waits.first)
    #expect(wait.server.hasPrefix("http://127.0.0.1:"))
    #expect(wait.reason == "\(status): not now")
    #expect((0.2...0.5).contains(wait.seconds))
    #expect(wait.waited == 0)
  }

  @Test(arguments: [
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true), ("no\r\nX-Evil: 1", false),
  ])
  func `is told the span in which it is asked`(traceparent: String, isSent: Bool) async throws {
    try await TestServer.answers([yes]) { server in
      _ = try await Turn(traceparent: traceparent).run { try await server.ask() }
      let head = try #require(server.received.first?.head)
      #expect(head.contains("\r\ntraceparent: \(traceparent)\r\n") == isSent)
      #expect(!head.contains("X-Evil"))
    }
  }

  @Test func `is left alone for the seconds that it asks for`() async throws {
    let turn = Turn()
    let refusal = TestServer.refusal("503 Service Unavailable", headers: "Retry-After: 2\r\n")
    let begun = ContinuousClock.now
    let (result, _) = try await ask(turn, [refusal, yes])
    #expect(try result.get() == "Yes.")
    #expect(turn.waits.map(\.seconds) == [2])
    #expect(ContinuousClock.now - begun >= .seconds(2))
  }

  @Test func `is left alone until the date that it names`() async throws {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let date = format.string(from: Date(timeIntervalSinceNow: 3))
    let turn = Turn()
    let refusal = TestServer.refusal("429 Too Many Requests", headers: "Retry-After: \(date)\r\n")
    let (result, _) = try await ask(turn, [refusal, yes])
    #expect(try result.get() == "Yes.")
    #expect((1...3).contains(turn.waits.first?.seconds ?? 0))
  }

  @Test(arguments: [#"{"error":{"code":503,"message":"Loading model"}}"#])
  func `may say so in its answer, before the first token`(event: String) async throws {
    let turn = Turn()
    let (result, requests) = try await ask(turn, [TestServer.events([event]), yes])
    #expect(try result.get() == "Yes.")
    #expect(requests.count == 2)
    #expect(turn.waits.map(\.reason) == ["503: Loading model"])
  }

  @Test func `may close the connection before the first token`() async throws {
    let turn = Turn()
    let (result, requests) = try await ask(turn, [{ _ in }, yes])
    #expect(try result.get() == "Yes.")
    #expect(requests.count == 2)
    #expect(turn.waits.map(\.reason) == ["connection broke off"])
  }

  @Test func `may not be there yet`() async throws {
    let (socket, port) = try TestServer.taken()
    defer { try? socket.close() }
    let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
    let model = RemoteLanguageModel(.init(name: "m", url: url), environment: [:])
    let turn = Turn(timeLeft: .seconds(3))
    let error = try #require(
      await #expect(throws: RequestError.self) {
        try await turn.run { try await LanguageModelSession(model: model).respond(to: "Hello") }
      }
    )
    guard case .notConnected(let problem) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(problem.contains("127.0.0.1:\(port)"))
    #expect(problem.contains("was asked \(turn.waits.count + 1) times"), "\(problem)")
    #expect(turn.waits.count > 1)
    #expect(turn.waits.map(\.reason).allSatisfy { $0 == "no connection" })
    #expect(turn.timeLeft > .zero)
  }

  // MARK: The end of a wait

  @Test func `is not waited for beyond the turn`() async throws {
    let turn = Turn(timeLeft: .seconds(250))
    let refusal = TestServer.refusal("429 Too Many Requests", headers: "Retry-After: 3600\r\n")
    let (result, requests) = try await ask(turn, [refusal, yes])
    let error = #expect(throws: LanguageModelError.self) { try result.get() }
    guard case .rateLimited(let facts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(facts.debugDescription.contains("not now"))
    #expect(facts.debugDescription.contains("3600 s"))
    #expect(requests.count == 1)
    #expect(turn.waits.isEmpty)
  }

  @Test(arguments: ["Retry-After: 1\r\n", ""])
  func `is named with its status and the time at the end of the turn`(headers: String) async throws
  {
    let turn = Turn(timeLeft: .seconds(4))
    let refusal = TestServer.refusal("503 Service Unavailable", headers: headers)
    let (result, requests) = try await ask(turn, [refusal])
    let error = try #require(#expect(throws: APIError.self) { try result.get() })
    #expect(error.statusCode == 503)
    let waited = turn.waits.reduce(0) { $0 + $1.seconds }
    #expect(error.description.contains("(503): not now. http://127.0.0.1:"), "\(error)")
    #expect(error.description.contains("was asked \(requests.count) times"), "\(error)")
    #expect(turn.waits.count > 1 && requests.count == turn.waits.count + 1)
    #expect((1...4).contains(waited))
    // The error is told before the cap on seconds ends the turn.
    #expect(turn.timeLeft > .zero)
  }

  @Test func `is no longer waited for when the turn is cancelled`() async throws {
    let (waits, continuation) = AsyncStream<ServerWait>.makeStream()
    let turn = Turn(timeLeft: .seconds(300)) { continuation.yield($0) }
    let refusal = TestServer.refusal("503 Service Unavailable", headers: "Retry-After: 200\r\n")
    try await TestServer.answers([refusal]) { server in
      let asking = Task { try await turn.run { try await server.ask() } }
      for await _ in waits { break }
      let begun = ContinuousClock.now
      asking.cancel()
      await #expect(throws: CancellationError.self) { try await asking.value }
      #expect(ContinuousClock.now - begun < .seconds(60))
    }
  }

  // MARK: What is not repeated

  @Test func `has begun its answer, which is not asked for again`() async throws {
    let turn = Turn()
    let events = [Sent.text("Half a"), #"{"error":{"code":503,"message":"overloaded"}}"#]
    let (result, requests) = try await ask(turn, [TestServer.events(events), yes])
    let error = try #require(#expect(throws: APIError.self) { try result.get() })
    #expect(error.message == "overloaded")
    #expect(requests.count == 1)
    #expect(turn.waits.isEmpty)
  }

  @Test(arguments: [
    ("500 Internal Server Error", "X-Should-Retry: false\r\n", #"{"error":"the turn has run"}"#),
    (
      "429 Too Many Requests", "Retry-After: 1\r\n",
      #"{"error":{"message":"no credit","type":"insufficient_quota"}}"#
    ),
    ("400 Bad Request", "Retry-After: 1\r\n", #"{"error":"too long"}"#),
    (
      "500 Internal Server Error", "",
      #"{"error":{"message":"too long","type":"exceed_context_size_error"}}"#
    ),
  ])
  func `refuses for good where it says so`(
    status: String,
    headers: String,
    body: String
  ) async throws {
    let turn = Turn()
    let refusal = TestServer.refusal(status, headers: headers, body: body)
    let (result, requests) = try await ask(turn, [refusal, yes])
    #expect(throws: (any Error).self) { try result.get() }
    #expect(requests.count == 1)
    #expect(turn.waits.isEmpty)
  }

  @Test func `ends a session's turn at once where no orchestrator waits`() async throws {
    try await TestServer.answers([TestServer.refusal("503 Service Unavailable"), yes]) { server in
      let error = await #expect(throws: APIError.self) { try await server.ask() }
      #expect(error?.message == "not now")
      #expect(server.received.count == 1)
    }
  }

  @Test func `leaves a turn that fails its finished calls, where the transcript is preserved`()
    async throws
  {
    let call = TestServer.events([
      Sent.call(
        #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}"#
      ), Sent.end("tool_calls"), Sent.done,
    ])
    let refusal = TestServer.refusal("503 Service Unavailable", headers: "Retry-After: 900\r\n")
    try await TestServer.answers([call, refusal, yes]) { server in
      let session = LanguageModelSession(model: try server.model(), tools: [Weather()])
      session.transcriptErrorHandlingPolicy = .preserveTranscript
      let turn = Turn()
      await #expect(throws: APIError.self) {
        try await turn.run { try await session.respond(to: "Hello") }
      }
      try await session.respond(to: "Go on")
      #expect(
        session.transcript.history.outline == [
          "prompt", #"calls weather{"city": "Oslo"}"#, "output It rains in Oslo.", "prompt",
          "response Yes.",
        ]
      )
      #expect(server.received.count == 3)
      #expect(server.received.last?.body.contains("It rains in Oslo.") == true)
    }
  }
}
