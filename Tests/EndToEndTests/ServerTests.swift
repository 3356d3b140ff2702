import FlyingFox
import FlyingSocks
import Foundation
import Synchronization
import Testing

/// An agent whose model is behind a server of this test.
@Suite(.timeLimit(.minutes(10))) struct `A model behind a server` {
  private typealias Answer = (status: HTTPStatusCode, headers: [HTTPHeader: String], body: String)

  private let product: Product
  private let agents: String

  init() throws {
    product = try Product()
    agents = product.home + "/Agents"
    try FileManager.default.createDirectory(atPath: agents, withIntermediateDirectories: true)
    let source = """
      import AgentKit

      struct Look: Tool {
        let description = "Looks."
        @Generable struct Arguments {}
        func call(arguments: Arguments) async throws -> String { "seen" }
      }

      struct Beginner: Agent {
        let name = "beginner"
        let description = "answers"
        let permissions: [Permission] = [.network]

        var body: some DynamicProfile {
          Profile { Instructions("You answer."); Look() }
            .model(ChatCompletionsLanguageModel(name: "far-away"))
            .transcriptErrorHandlingPolicy(.preserveTranscript)
        }
      }

      """
    try source.write(toFile: agents + "/Beginner.swift", atomically: true, encoding: .utf8)
  }

  private static func events(_ events: String...) -> Answer {
    let text = events.map { "data: \($0)\n\n" }.joined()
    return (.ok, [.contentType: "text/event-stream"], text)
  }

  private static let call = events(
    """
    {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":\
    {"name":"Look","arguments":"{}"},"extra_content":{"google":{"thought_signature":"U0lH"}}}]}}]}
    """,
    #"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#
  )
  private static let yes = events(
    #"{"choices":[{"delta":{"content":"Yes."}}]}"#,
    #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#
  )

  private static func refusal(after seconds: Int) -> Answer {
    let header = HTTPHeader("Retry-After")
    let body = #"{"error":{"message":"Loading model"}}"#
    return (HTTPStatusCode(503, phrase: "Service Unavailable"), [header: "\(seconds)"], body)
  }

  /// Asks one question after the other, each of a coordinator of its own.
  ///
  /// - Parameters:
  ///   - answers: The server's answers, one for each request.
  /// - Returns: What the questions came to, and the bodies of the requests.
  private func ask(
    _ questions: Int,
    _ answers: [Answer],
    caps: String = "seconds=60"
  ) async throws -> (outcomes: [Product.Outcome], requests: [String]) {
    let requests = RequestBodies()
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    await server.appendRoute("POST /v1/chat/completions") { request in
      let place = requests.add(String(decoding: try await request.bodyData, as: UTF8.self))
      let answer = answers[min(place, answers.count - 1)]
      return HTTPResponse(
        statusCode: answer.status,
        headers: HTTPHeaders(answer.headers),
        body: Data(answer.body.utf8)
      )
    }
    let serving = Task { try await server.run() }
    defer { serving.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      throw SocketError.disconnected
    }
    var outcomes: [Product.Outcome] = []
    for _ in 0..<questions {
      outcomes.append(
        try await product.run(
          "ask",
          "-v",
          "--agents",
          agents,
          "--model",
          Product.model,
          "--agent",
          "beginner",
          "--allow",
          "beginner",
          "--session",
          "talk",
          "--caps",
          caps,
          "Hello",
          environment: ["ORCHESTRATOR_CHAT_URL": "http://127.0.0.1:\(port)"]
        )
      )
    }
    return (outcomes, requests.all)
  }

  @Test func `is waited for where it refuses for a while, and no call is made again`() async throws
  {
    let (outcomes, requests) = try await ask(
      1,
      [Self.call, Self.refusal(after: 1), Self.refusal(after: 1), Self.yes]
    )
    let outcome = try #require(outcomes.first)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "Yes.\n")
    #expect(requests.count == 4 && Set(requests.dropFirst()).count == 1)
    #expect(outcome.notes(containing: "calls Look").count == 1)
    // Short waits are not shown one by one.
    let waits = outcome.notes(containing: "waits for http://127.0.0.1:")
    #expect(waits.count == 1)
    #expect(waits.first?.contains("(503: Loading model), asks again in 1.0 s") == true, "\(waits)")
  }

  @Test
  func `gets back what came with its calls after a failure and a restart, without another call`()
    async throws
  {
    let (outcomes, requests) = try await ask(
      2,
      [Self.call, Self.refusal(after: 900), Self.yes],
      caps: "seconds=30"
    )
    #expect(outcomes.map(\.status) == [1, 0], "\(outcomes.map(\.errors))")
    #expect(outcomes.first?.errors.contains("Loading model") == true)
    #expect(outcomes.first?.errors.contains("900 s") == true)
    #expect(outcomes.last?.output == "Yes.\n")
    #expect(outcomes.last?.notes(containing: "calls Look").isEmpty == true)
    // By another coordinator and another worker.
    let last = try #require(requests.last)
    #expect(requests.count == 3)
    #expect(
      last.contains(#""extra_content": {"google": {"thought_signature": "U0lH"}}"#),
      "\(last)"
    )
    #expect(last.contains(#""content": "seen""#), "\(last)")
  }
}

/// The bodies of the requests that a server has received.
private final class RequestBodies: Sendable {
  private let bodies = Mutex<[String]>([])

  var all: [String] { bodies.withLock { $0 } }

  /// Adds a body and returns how many came before.
  func add(_ body: String) -> Int {
    bodies.withLock { bodies in
      bodies.append(body)
      return bodies.count - 1
    }
  }
}
