import FlyingFox
import FlyingSocks
import Foundation
import Synchronization
import TestSupport
import Testing

/// What a coordinator reports to a receiver of traces, and to Prometheus.
@Suite(.timeLimit(.minutes(10))) struct `Telemetry` {
  /// A request as the protocol's JSON has it, as far as it is looked at here.
  private struct Traces: Decodable {
    let resourceSpans: [Resource]

    struct Resource: Decodable { let scopeSpans: [Scope] }
    struct Scope: Decodable { let spans: [Span] }
    struct Span: Decodable {
      let traceId: String
      let spanId: String
      let parentSpanId: String?
      let name: String
      let attributes: [Attribute]

      func count(_ name: String) -> Int {
        attributes.first { $0.key == name }?.value.intValue.flatMap { Int($0) } ?? 0
      }
    }
    struct Attribute: Decodable {
      let key: String
      let value: Value
    }
    struct Value: Decodable {
      let intValue: String?
    }

    var spans: [Span] { resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
  }

  private struct Total: Decodable, Equatable {
    var tokensIn = 0
    var tokensCached = 0
    var tokensOut = 0
  }

  private struct Conversation: Decodable {
    let turns: [Turn]
    struct Turn: Decodable { let total: Total }
  }

  private final class Received: Sendable {
    private let all = Mutex<[Traces.Span]>([])
    var spans: [Traces.Span] { all.withLock { $0 } }
    func add(_ spans: [Traces.Span]) { all.withLock { $0 += spans } }
  }

  private static let variables = [
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
    "OTEL_BSP_SCHEDULE_DELAY": "20",
  ]

  @Test func `has every turn once, with the tokens of the transcript, live and afterwards`()
    async throws
  {
    let received = Received()
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    await server.appendRoute("POST /v1/traces") { request in
      received.add(try JSONDecoder().decode(Traces.self, from: try await request.bodyData).spans)
      return HTTPResponse(statusCode: .ok)
    }
    let serving = Task { try await server.run() }
    defer { serving.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      throw SocketError.disconnected
    }
    let product = try Product()
    let readme = try String(contentsOfFile: Product.root + "/README.md", encoding: .utf8)
    let start = try #require(
      `The README`.commands(in: readme).first { $0.hasPrefix("orchestrator start --telemetry ") }
    ).replacing("http://localhost:6006", with: "http://127.0.0.1:\(port)")
    let coordinator = try await product.start(
      start.split(separator: " ").dropFirst().map(String.init) + ["--no-chat"],
      environment: Self.variables
    )
    try await product.waitUntilServing()
    for prompt in ["I want a rainy-day project for kids", "Give it a title"] {
      #expect(try await product.run("ask", prompt, "--session", "talk").status == 0)
    }
    #expect(try await product.run("ask", "How do I fold a crane?", "--session", "talk").status == 0)
    let scrape = try #require(
      readme.components(separatedBy: "\n").first { $0.hasSuffix(" http://localhost/metrics") }
    )
    let metrics = try await product.shell(
      scrape.replacing("$XDG_RUNTIME_DIR/orchestrator", with: product.home + "/run")
    )
    for line in [
      #"orchestrator_turns_total{agent="title",exit="answered"} 1"#,
      #"orchestrator_turns_total{agent="tutorial",exit="answered"} 1"#,
      #"orchestrator_workers{role="waiting",state="idle"} 1"#,
      "orchestrator_telemetry_dropped_total 0",
    ] {
      #expect(metrics.lines.contains(line), "\(line)")
    }
    #expect(try await product.run("stop").status == 0)
    _ = await coordinator.end()

    // The end of a coordinator sends what was not sent before.
    let spans = received.spans
    #expect(spans.filter { $0.name == "invoke_workflow brainstorm" }.count == 3)
    #expect(spans.contains { $0.name == "execute_tool generate_title title" })
    #expect(spans.contains { $0.name == "execute_tool pass_baton tutorial" })
    #expect(Set(spans.map(\.spanId)).count == spans.count)
    let total = Total(
      tokensIn: spans.reduce(0) { $0 + $1.count("gen_ai.usage.input_tokens") },
      tokensCached: spans.reduce(0) { $0 + $1.count("gen_ai.usage.cache_read.input_tokens") },
      tokensOut: spans.reduce(0) { $0 + $1.count("gen_ai.usage.output_tokens") }
    )
    let transcript = try await product.run("transcript", "talk", "--json")
    let talk = try JSONDecoder().decode(Conversation.self, from: Data(transcript.output.utf8))
    #expect(total.tokensIn > 0)
    #expect(total.tokensIn == talk.turns.reduce(0) { $0 + $1.total.tokensIn })
    #expect(total.tokensCached == talk.turns.reduce(0) { $0 + $1.total.tokensCached })
    #expect(total.tokensOut == talk.turns.reduce(0) { $0 + $1.total.tokensOut })

    let exported = try await product.run("sessions", "export", "--otlp", "talk", "-")
    #expect(exported.status == 0, "\(exported.errors)")
    let again = try exported.lines.flatMap { line in
      try JSONDecoder().decode(Traces.self, from: Data(line.utf8)).spans
    }
    #expect(Set(again.map(\.spanId)) == Set(spans.map(\.spanId)))
  }

  @Test func `is not sent where no receiver is named, or none takes it`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    #expect(try await product.run("ask", "Hello", "--agents", agents).status == 0)
    let nowhere = try await product.run("sessions", "export", "--otlp", "default")
    #expect(nowhere.status == 64)
    let (socket, port) = try Self.taken()
    defer { try? socket.close() }
    let url = "http://user:secret@127.0.0.1:\(port)"
    let refused = try await product.run(
      "ask",
      "Hello",
      "--agents",
      agents,
      "--telemetry",
      url
    )
    // The answer does not depend on it.
    #expect(refused.status == 0, "\(refused.errors)")
    #expect(!refused.errors.contains("secret"))
    let wrong = try await product.run("ask", "Hello", "--agents", agents, "--telemetry", "here")
    #expect(wrong.status == 64)
  }

  /// Takes a free port, on which nothing listens.
  private static func taken() throws -> (socket: Socket, port: UInt16) {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    return (socket, port)
  }
}
