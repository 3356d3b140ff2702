import FlyingFox
import Foundation
import TestSupport
import Testing

/// What a program may send with a prompt, to the built product.
@Suite(.timeLimit(.minutes(10))) struct `A program's prompt` {
  /// An agent that answers with what it was asked for.
  private static let echo = """
    import AgentKit

    struct Echo: Agent {
      let name = "echo"
      let description = "says what it is asked for"

      var body: some DynamicProfile {
        Profile { Instructions("You echo.") }
          .temperature(0.9)
          .model(
            ScriptedLanguageModel(deciding: { request in
              if request.transcript.last?.description == "wait" { return .silence }
              let texts = request.transcript.map { "\\($0)" }.joined(separator: "|")
              let temperature = request.generationOptions.temperature ?? -1
              return .text("\\(request.transcript.count) \\(temperature) \\(texts) END more")
            })
          )
      }
    }
    """

  /// A client of the loopback door.
  private struct Client {
    let port: UInt16
    let token: String

    func send(
      _ method: HTTPMethod,
      _ path: String,
      _ body: [String: Any] = [:]
    ) async throws -> (code: Int, lines: [[String: Any]]) {
      let body = method == .GET ? Data() : try JSONSerialization.data(withJSONObject: body)
      let request = DoorRequest(method: method, path: path, body: body, token: token)
      let answer = try await request.send(to: .port(port))
      return (answer.code, try answer.lines)
    }

    /// Sends a prompt, and returns the end of its turn.
    func ask(_ body: [String: Any]) async throws -> [String: Any] {
      let (code, lines) = try await send(.POST, "/v1/prompts", body)
      #expect(code == 200, "\(lines)")
      return try #require(lines.last { $0["event"] as? String == "ended" }, "\(lines)")
    }

    func sessions() async throws -> [String] {
      try await send(.GET, "/v1/sessions").lines.compactMap { $0["name"] as? String }.sorted()
    }
  }

  private func serve(_ product: Product) async throws -> (session: Session, client: Client) {
    let agents = try product.write(Self.echo, as: "Echo")
    let (session, port) = try await product.listen("--agents", agents)
    return (session, Client(port: port, token: try product.token))
  }

  @Test func `asks for options, and is one however often it is sent`() async throws {
    let product = try Product()
    let (first, client) = try await serve(product)
    let agents = try await client.send(.GET, "/v1/agents").lines
    #expect(agents.map { $0["name"] as? String } == ["echo"])
    #expect(agents.map { $0["isBeginner"] as? Bool } == [true])

    let asked: [String: Any] = [
      "id": "r1", "session": "one", "prompt": "go", "origin": "tester/1",
      "options": [
        "instructions": "Be loud.", "stop": ["END"], "generation": ["temperature": 0.25],
      ],
    ]
    let ended = try await client.ask(asked)
    #expect(ended["answer"] as? String == "3 0.25 You echo.|Be loud.|go ")
    // Nothing of it is left in the next turn.
    let next = try await client.ask(["session": "one", "prompt": "on"])
    let answer = next["answer"] as? String ?? ""
    #expect(answer.hasPrefix("4 0.9 You echo.|go|3 0.25") && answer.hasSuffix("END more"))

    let replay = try await client.ask(asked)
    #expect(replay["turn"] as? Int == ended["turn"] as? Int)
    #expect(replay["answer"] as? String == ended["answer"] as? String)
    for (session, prompt) in [("one", "stop"), ("two", "go")] {
      let body = ["id": "r1", "session": session, "prompt": prompt]
      let refused = try await client.send(.POST, "/v1/prompts", body)
      #expect(refused.code == 422)
      let error = refused.lines.first?["error"] as? [String: Any]
      #expect(error?["code"] as? String == "idempotency_conflict")
    }
    #expect(try await client.sessions() == ["one"])

    // A coordinator that was killed knows it, too.
    await first.end(by: SIGKILL)
    let (second, other) = try await serve(product)
    let again = try await other.ask(asked)
    #expect(again["turn"] as? Int == ended["turn"] as? Int)
    #expect(again["answer"] as? String == ended["answer"] as? String)
    let transcript = try await product.run("transcript", "one", "--json")
    #expect(transcript.output.components(separatedBy: "\"turn\"").count - 1 == 2)
    await second.end(by: SIGTERM)
    #expect(try await product.run("sessions", "verify").status == 0)
  }

  @Test func `in a temporary session is gone with a coordinator that was killed`() async throws {
    let product = try Product()
    let (first, client) = try await serve(product)
    // Unstructured: its connection breaks off.
    Task {
      let body = ["session": "gone", "prompt": "wait", "isTemporary": true] as [String: Any]
      _ = try await client.send(.POST, "/v1/prompts", body)
    }
    try await eventually("the session is there") { try await client.sessions() == ["gone"] }
    await first.end(by: SIGKILL)
    let (second, other) = try await serve(product)
    #expect(try await other.sessions() == [])
    await second.end(by: SIGTERM)
  }

  @Test func `begins, forks and deletes sessions, and leaves none that is temporary`()
    async throws
  {
    let product = try Product()
    let (session, client) = try await serve(product)
    let temporary = try await client.ask([
      "session": "gone", "prompt": "go", "isTemporary": true, "origin": "tester/1",
    ])
    #expect(temporary["exit"] as? String == "answered")
    #expect(try await client.sessions() == [])

    let entries = [
      #"{"contents":[{"id":"1","text":"Hello","type":"text"}],"id":"1","role":"user"}"#,
      #"{"contents":[{"id":"2","text":"Hi","type":"text"}],"id":"2","role":"response"}"#,
    ]
    let first = try await client.ask([
      "session": "one", "prompt": "go", "history": entries, "origin": "tester/1",
    ])
    let text = first["answer"] as? String ?? ""
    #expect(text.hasPrefix("4 0.9 You echo.|Hello|Hi|go"), "\(text)")
    _ = try await client.ask(["session": "one", "prompt": "on"])
    let turn = first["turn"] as? Int ?? 0
    let fork =
      ["session": "one", "name": "two", "turn": turn, "origin": "tester/2"] as [String: Any]
    #expect(try await client.send(.POST, "/v1/sessions/fork", fork).code == 200)
    #expect(try await client.send(.POST, "/v1/sessions/fork", fork).code == 409)
    let forked = try await client.ask(["session": "two", "prompt": "aside"])
    #expect((forked["answer"] as? String)?.hasPrefix("6 ") == true)
    _ = try await client.ask(["session": "three", "prompt": "go", "origin": "tester/1"])

    let list = try await product.run("sessions")
    #expect(list.lines.first?.hasSuffix("ORIGIN") == true)
    #expect(list.lines.contains { $0.hasPrefix("two ") && $0.hasSuffix("tester/2") })
    let transcript = try await product.run("transcript", "two")
    #expect(transcript.output.contains("── imported"), "\(transcript.output)")
    #expect(try await product.run("sessions", "delete", "--origin", "tester/1").status == 0)
    #expect(try await client.sessions() == ["two"])
    #expect(try await product.run("sessions", "delete", "--origin", "tester/1").status == 1)
    let body = ["session": "two"]
    #expect(try await client.send(.POST, "/v1/sessions/delete", body).code == 200)
    #expect(try await client.send(.POST, "/v1/sessions/delete", body).code == 404)
    await session.end(by: SIGTERM)
    #expect(try await product.run("sessions", "verify").output.hasPrefix("0 sessions, 0 turns"))
    let journal = try Data(contentsOf: URL(filePath: product.home + "/state/journal.sqlite"))
    #expect(journal.firstRange(of: Data("aside".utf8)) == nil)
  }
}
