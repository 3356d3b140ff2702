import AgentKit
import FlyingSocks
import Foundation
import Remote
import TestSupport
import Testing

/// Whatever a server does, the request ends soon with an error that says what happened.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
  typealias RequestError = ChatCompletionsLanguageModel.RequestError
  typealias APIError = ChatCompletionsLanguageModel.APIError

  private func model(at address: String) throws -> RemoteLanguageModel {
    let url = try #require(URL(string: address))
    return RemoteLanguageModel(ChatCompletionsLanguageModel(name: "m", url: url), environment: [:])
  }

  private func ask(_ model: RemoteLanguageModel) async throws {
    try await LanguageModelSession(model: model).respond(to: "Hello")
  }

  /// The error of one request to a server that sends the given answer.
  private func fault(
    key: String? = nil,
    timeout: Duration = .seconds(10),
    options: GenerationOptions = GenerationOptions(),
    _ answer: @escaping @Sendable (Connection) async throws -> Void
  ) async throws -> any Error {
    try await TestServer.run(answer) { server in
      try #require(
        await #expect(throws: (any Error).self) {
          try await server.ask(tools: [Weather()], key: key, timeout: timeout, options: options)
        }
      )
    }
  }

  // MARK: No connection

  @Test func `No server listens`() async throws {
    let (socket, port) = try TestServer.taken()
    defer { try? socket.close() }
    let model = try model(at: "http://127.0.0.1:\(port)")
    let error = try #require(await #expect(throws: RequestError.self) { try await ask(model) })
    guard case .notConnected(let problem) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(problem.contains("127.0.0.1:\(port)"))
  }

  @Test func `There is no such host`() async throws {
    let model = try model(at: "http://no-such-host.invalid")
    let error = try #require(await #expect(throws: RequestError.self) { try await ask(model) })
    guard case .notConnected = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test(arguments: ["ftp://127.0.0.1/v1", "http://", "file:///etc/passwd"])
  func `An address is none of a server`(address: String) async throws {
    let model = try model(at: address)
    let error = try #require(await #expect(throws: RequestError.self) { try await ask(model) })
    guard case .invalidRequest = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func `No address is given at all`() async throws {
    let model = RemoteLanguageModel(ChatCompletionsLanguageModel(name: "m"), environment: [:])
    let error = try #require(await #expect(throws: RequestError.self) { try await ask(model) })
    #expect("\(error)".contains("ORCHESTRATOR_CHAT_URL"))
  }

  @Test func `A header would begin another line`() async throws {
    try await TestServer.events([]) { server in
      let model = try server.model(headers: ["X-A": "b\r\nX-Evil: c"])
      await #expect(throws: RequestError.self) { try await ask(model) }
      #expect(server.received.isEmpty)
    }
  }

  // MARK: Refusals

  @Test func `The key is refused`() async throws {
    let error = try await fault(key: "sk-very-secret") { connection in
      try await connection.respond(
        "401 Unauthorized",
        body: #"{"error":{"message":"Invalid key sk-very-secret","type":"auth","code":"bad_key"}}"#
      )
    }
    let refusal = try #require(error as? APIError)
    #expect(refusal.statusCode == 401)
    #expect(refusal.type == "auth")
    #expect(refusal.code == "bad_key")
    #expect(refusal.description.contains("Check the key"))
    // The server may repeat the key, but the error must not.
    #expect(!String(reflecting: error).contains("sk-very-secret"))
    #expect(!"\(error)".contains("sk-very-secret"))
  }

  @Test func `The server is asked too often`() async throws {
    let error = try await fault { connection in
      try await connection.respond(
        "429 Too Many Requests",
        headers: "Retry-After: 30\r\n",
        body: #"{"error":{"message":"slow down"}}"#
      )
    }
    guard case .rateLimited(let facts) = error as? LanguageModelError else {
      Issue.record("\(error)")
      return
    }
    let seconds = try #require(facts.resetDate).timeIntervalSinceNow
    #expect((20...31).contains(seconds))
    #expect(facts.debugDescription.contains("slow down"))
  }

  @Test(arguments: ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"])
  func `The server fails without a reason that could be read`(status: String) async throws {
    let error = try await fault { connection in
      try await connection.respond(status, type: "text/html", body: "<h1>Oh no</h1>")
    }
    guard case .httpError(let code, let data) = error as? RequestError else {
      Issue.record("\(error)")
      return
    }
    #expect(status.hasPrefix("\(code)"))
    #expect(data == Data("<h1>Oh no</h1>".utf8))
  }

  @Test(arguments: [
    #"{"error":{"message":"no such model","type":"invalid_request_error","param":"model"}}"#,
    #"{"error":"no such model"}"#, #"{"detail":"no such model"}"#,
    #"{"message":"no such model"}"#, #"[{"error":{"code":404,"message":"no such model"}}]"#,
  ])
  func `The server gives its reason in one form or another`(body: String) async throws {
    let error = try await fault { try await $0.respond("404 Not Found", body: body) }
    let refusal = try #require(error as? APIError)
    #expect(refusal.message == "no such model")
    #expect(refusal.statusCode == 404)
  }

  @Test func `The context does not fit`() async throws {
    let error = try await fault { connection in
      try await connection.respond(
        "400 Bad Request",
        body: """
          {"error":{"code":400,"message":"the request exceeds the context","type":\
          "exceed_context_size_error","n_prompt_tokens":900,"n_ctx":512}}
          """
      )
    }
    guard case .contextSizeExceeded(let facts) = error as? LanguageModelError else {
      Issue.record("\(error)")
      return
    }
    #expect(facts.contextSize == 512)
    #expect(facts.tokenCount == 900)
  }

  // MARK: Answers that are none

  private static let useless: [(sent: String, options: GenerationOptions, words: String)] = [
    ("", .init(), "broke off: "),
    (
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        + "Transfer-Encoding: chunked\r\n\r\nFF\r\ndata: {\"choi", .init(), "broke off: "
    ),
    (
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
        + "<h1>Please log in</h1>", .init(), "Please log in"
    ),
    (events(Sent.done), .init(), "broke off before it began"),
    (
      events(
        Sent.call(#"{"index":0,"id":"a","function":{"arguments":"{}"}}"#),
        Sent.end("tool_calls")
      ), .init(), "without naming it"
    ),
    (
      events(Sent.text("No."), Sent.end()), .init(toolCallingMode: .required),
      "a call was required"
    ),
  ]

  private static func events(_ events: String...) -> String {
    Connection.eventsHead + events.map { "data: \($0)\n\n" }.joined()
  }

  @Test(arguments: useless)
  func `What is sent cannot be an answer, and the error says why`(
    sent: String,
    options: GenerationOptions,
    words: String
  ) async throws {
    let error = try await fault(options: options) { try await $0.send(sent) }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test(arguments: ["{", "no JSON", #"{"choices":[{"delta":{"content":7}}]"#])
  func `A piece is not what it should be`(piece: String) async throws {
    let error = try await fault { connection in
      try await connection.send(
        Connection.eventsHead + "data: \(Sent.text("Good"))\n\ndata: \(piece)\n\n"
      )
    }
    guard case .invalidStreamData(let problem) = error as? RequestError else {
      Issue.record("\(error)")
      return
    }
    #expect(problem.contains(piece))
  }

  @Test func `The server reports an error in the middle`() async throws {
    let error = try await fault { connection in
      let problem = #"{"error":{"message":"out of memory","type":"server_error"}}"#
      try await connection.send(
        Connection.eventsHead + "data: \(Sent.text("Good"))\n\ndata: \(problem)\n\n"
      )
    }
    #expect((error as? APIError)?.message == "out of memory")
  }

  @Test func `A line never ends`() async throws {
    let error = try await fault { connection in
      try await connection.send(Connection.eventsHead + "data: ")
      let flood = String(repeating: "x", count: 64 * 1024)
      while !Task.isCancelled { try await connection.send(flood) }
    }
    #expect("\(error)".contains("longer than a mebibyte"))
  }

  // MARK: Silence

  @Test func `The server never answers`() async throws {
    let error = try await fault(timeout: .milliseconds(300)) { await $0.waitForClose() }
    guard case .timeout(let facts) = error as? LanguageModelError else {
      Issue.record("\(error)")
      return
    }
    #expect(facts.debugDescription.contains("sent no answer"))
  }

  @Test func `The server falls silent in the middle`() async throws {
    let error = try await fault(timeout: .seconds(3)) { connection in
      try await connection.send(Connection.eventsHead + "data: \(Sent.text("Good"))\n\n")
      await connection.waitForClose()
    }
    guard case .timeout(let facts) = error as? LanguageModelError else {
      Issue.record("\(error)")
      return
    }
    #expect(facts.debugDescription.contains("sent nothing more"))
  }

  @Test func `A server that says it is still there is waited for`() async throws {
    let answer: @Sendable (Connection) async throws -> Void = { connection in
      try await connection.send(Connection.eventsHead)
      for _ in 0..<8 {
        try await Task.sleep(for: .milliseconds(400))
        try await connection.send(": still reading\n\n")
      }
      try await connection.send("data: \(Sent.text("Done."))\n\ndata: \(Sent.end())\n\n")
    }
    try await TestServer.run(answer) { server in
      let answer = try await server.ask(timeout: .seconds(3)).content
      #expect(answer == "Done.")
    }
  }
}
