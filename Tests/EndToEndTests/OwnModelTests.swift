import FlyingFox
import FlyingSocks
import Foundation
import Testing

/// Agents and profiles that bring their own models.
@Suite(.timeLimit(.minutes(10))) struct `A model of an agent's own` {
  private let product: Product
  private let agents: String
  private let models: String

  init() throws {
    product = try Product()
    agents = product.home + "/Agents"
    models = product.home + "/models"
    for folder in [agents, models] {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
    }
    for name in ["first", "second", "third"] { try copyModel(to: "\(models)/\(name).gguf") }
  }

  private func copyModel(to path: String) throws {
    try FileManager.default.copyItem(atPath: Product.model, toPath: path)
  }

  /// Writes an agent with the given body.
  private func declare(_ type: String, body: String, members: String = "") throws {
    let source = """
      import AgentKit
      import Foundation

      struct \(type): Agent {
        let name = "\(type.lowercased())"
        let description = "answers"
        let permissions: [Permission] = [.network, .reading("\(models)")]
        \(members)

        var body: some DynamicProfile {
          \(body)
        }
      }

      """
    try source.write(toFile: "\(agents)/\(type).swift", atomically: true, encoding: .utf8)
  }

  private func chat(
    _ prompts: String,
    caps: String = "rounds=16",
    environment: [String: String] = [:]
  ) async throws -> Product.Outcome {
    try await product.run(
      "start",
      "--agents",
      agents,
      "--model",
      "\(models)/first.gguf",
      "--agent",
      "beginner",
      "--allow",
      "beginner",
      "--allow",
      "second",
      "--caps",
      caps,
      input: prompts,
      environment: environment
    )
  }

  /// The combined logs of all processes.
  private func logs() throws -> String {
    let folder = product.home + "/state/logs"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
    }.joined()
  }

  @Test func `Agents of one conversation answer on three kinds of models`() async throws {
    try declare(
      "Beginner",
      body: """
        Profile { PassBaton(to: "second") }
          .model(
            ScriptedLanguageModel(deciding: { _ in .call("pass_baton", #"{"to": "second"}"#) })
          )
        """
    )
    try declare(
      "Second",
      body: """
        Profile { Instructions("You give kind feedback on craft projects.") }
          .model(LlamaLanguageModel(file: "second.gguf", contextSize: 700))
          .maximumResponseTokens(8)
        """
    )
    let outcome = try await chat("My wings are uneven\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.isEmpty)
    #expect(outcome.errors.contains("baton: beginner → second"))
    #expect(try logs().contains("opened \(models)/second.gguf, window 7"))
  }

  @Test func `Profiles of one agent answer on different models`() async throws {
    try declare(
      "Beginner",
      body: """
        if history.count < 2 {
            Profile { Instructions("You write titles.") }
              .model(LlamaLanguageModel(file: "second.gguf", contextSize: 600))
              .maximumResponseTokens(6)
          } else {
            Profile { Instructions("You write titles.") }
              .model(LlamaLanguageModel(file: "\(models)/third.gguf", contextSize: 800))
              .maximumResponseTokens(6)
          }
        """,
      members: "@SessionProperty(\\.history) var history"
    )
    let outcome = try await chat("A title\nAnother title\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let logs = try logs()
    // One model was opened before the first turn, the other on demand; neither was opened twice.
    #expect(logs.components(separatedBy: "opened \(models)/second.gguf").count == 2)
    #expect(logs.components(separatedBy: "opened \(models)/third.gguf").count == 2)
  }

  @Test(arguments: [
    ("none.gguf", "no such file"), ("text.gguf", "not a GGUF file"),
    ("../elsewhere.gguf", "--allow must grant it"),
    ("/etc/passwd", "--allow must grant it"),
  ])
  func `A file that cannot be used is told before the first token`(
    file: String,
    words: String
  ) async throws {
    try "no model".write(toFile: "\(models)/text.gguf", atomically: true, encoding: .utf8)
    try copyModel(to: product.home + "/elsewhere.gguf")
    try declare(
      "Beginner",
      body: """
        Profile { Instructions("You answer.") }.model(LlamaLanguageModel(file: "\(file)"))
        """
    )
    let outcome = try await chat("Hello\n")
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("'\(file)'"), "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  // MARK: Servers

  private static let key = "sk-that-nobody-may-see"

  private func declareRemote() throws {
    try declare(
      "Beginner",
      body: """
        Profile { Instructions("You answer.") }
          .model(ChatCompletionsLanguageModel(name: "far-away"))
        """
    )
  }

  /// Expects that no file of this home, no log and no printed text contains the key.
  private func expectKeyIsKept(_ outcome: Product.Outcome) throws {
    #expect(!(outcome.output + outcome.errors).contains(Self.key))
    let files = try FileManager.default.subpathsOfDirectory(atPath: product.home + "/state")
    #expect(files.contains { $0.hasSuffix(".log") })
    for file in files {
      let bytes = FileManager.default.contents(atPath: "\(product.home)/state/\(file)") ?? Data()
      #expect(bytes.range(of: Data(Self.key.utf8)) == nil, "\(file)")
    }
  }

  private struct Asked: Decodable {
    let model: String
  }

  /// Runs a server for the duration of `body`.
  ///
  /// It greets every client that has the key with the name of the requested model.
  private func greet(at address: String, _ body: (UInt16) async throws -> Void) async throws {
    let server = HTTPServer(address: try .inet(ip4: address, port: 0), logger: .disabled)
    await server.appendRoute("POST /v1/chat/completions") { request in
      let isKnown = request.headers[.authorization] == "Bearer \(Self.key)"
      let body = try await request.bodyData
      let asked = try? JSONDecoder().decode(Asked.self, from: body)
      let name = isKnown ? asked?.model ?? "no model" : "nobody"
      let events = """
        data: {"choices":[{"delta":{"content":"Hello from \(name)."}}]}

        data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

        data: [DONE]


        """
      return HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "text/event-stream"],
        body: Data(events.utf8)
      )
    }
    let serving = Task { try await server.run() }
    defer { serving.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      Issue.record("the server has no address")
      return
    }
    try await body(port)
  }

  /// - Parameters:
  ///   - given: The model that the environment names.
  ///   - asked: The model that the server is expected to be asked for.
  private func chatsWithServer(
    named host: String,
    port: UInt16,
    given: String = "other",
    asked: String = "far-away"
  ) async throws {
    let outcome = try await chat(
      "Hello\n",
      environment: [
        "ORCHESTRATOR_CHAT_URL": "http://\(host):\(port)",
        "ORCHESTRATOR_CHAT_KEY": Self.key, "ORCHESTRATOR_CHAT_MODEL": given,
      ]
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "Hello from \(asked).\n")
    try expectKeyIsKept(outcome)
  }

  @Test func `A server in the environment answers, and its key is kept`() async throws {
    try declareRemote()
    try await greet(at: "127.0.0.1") { port in
      try await chatsWithServer(named: "127.0.0.1", port: port)
    }
  }

  @Test(.enabled(if: OwnHost.known != nil, "this machine finds no name of its own"))
  func `A server is found by the name of its host`() async throws {
    let host = try #require(OwnHost.known)
    try declareRemote()
    try await greet(at: host.address) { port in
      try await chatsWithServer(named: host.name, port: port)
    }
  }

  @Test func `Apple's name for a model far away is the server in the environment`() async throws {
    try declare(
      "Beginner",
      body: """
        Profile { Instructions("You answer.") }.model(PrivateCloudComputeLanguageModel())
        """
    )
    try await greet(at: "127.0.0.1") { port in
      // An empty variable counts as unset.
      for (given, asked) in [("near-by", "near-by"), ("", "default")] {
        try await chatsWithServer(named: "127.0.0.1", port: port, given: given, asked: asked)
      }
    }
    let missing = try await chat("Hello\n")
    #expect(missing.status == 1)
    #expect(
      missing.errors.contains("Set ORCHESTRATOR_CHAT_URL to the address"),
      "\(missing.errors)"
    )
    let gone = try await chat(
      "Hello\n",
      caps: "seconds=3",
      environment: ["ORCHESTRATOR_CHAT_URL": "http://127.0.0.1:9"]
    )
    #expect(
      gone.errors.contains("No connection to the server: http://127.0.0.1:9"),
      "\(gone.errors)"
    )
  }

  @Test func `A server that is not there ends the turn with its address`() async throws {
    try declareRemote()
    let outcome = try await chat(
      "Hello\n",
      caps: "seconds=3",
      environment: [
        "ORCHESTRATOR_CHAT_URL": "http://127.0.0.1:9/v1", "ORCHESTRATOR_CHAT_KEY": Self.key,
      ]
    )
    #expect(outcome.output.isEmpty)
    #expect(!outcome.notes(containing: "waits for http://127.0.0.1:9/v1/").isEmpty)
    #expect(outcome.errors.contains("Cannot connect to the server"), "\(outcome.errors)")
    #expect(outcome.errors.contains("127.0.0.1:9/v1"), "\(outcome.errors)")
    try expectKeyIsKept(outcome)
  }
}
