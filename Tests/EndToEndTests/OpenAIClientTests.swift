import Foundation
import Testing

/// Clients of other makers, which take agents for models.
@Suite(.timeLimit(.minutes(10))) struct `Clients of OpenAI's interface` {
  private static let counterparts = Product.root + "/Tests/TestSupport/Counterparts"

  /// Agents that answer by what they are told.
  static let agents = [
    "Clerk": """
    import AgentKit
    import Foundation

    struct Find: Tool {
      let description = "Finds."
      @Generable struct Arguments { var name: String }
      func call(arguments: Arguments) async throws -> String { "found \\(arguments.name)" }
    }

    struct Broken: Error {}

    struct Clerk: Agent {
      let name = "clerk"
      let description = "files"

      var body: some DynamicProfile {
        Profile { Instructions("You file."); Find(); PassBaton(to: "coach") }
          .model(ScriptedLanguageModel(deciding: { request in Self.step(request.transcript) }))
      }

      static func step(_ transcript: Transcript) -> ScriptedLanguageModel.Step {
        var prompts: [String] = []
        var instructions: [String] = []
        for entry in transcript {
          switch entry {
          case .prompt(let prompt):
            prompts.append("\\(prompt)".components(separatedBy: "\\n")[0])
          case .instructions(let told): instructions.append("\\(told)")
          default: break
          }
        }
        if case .toolOutput(let output)? = transcript.last { return .text("It is \\(output).") }
        switch prompts.last ?? "" {
        case "think": return .reasoned("Hm.", text: "Thought.")
        case "tool": return .call("Find", #"{"name": "crane"}"#)
        case "pass": return .call("pass_baton", #"{"to": "coach"}"#)
        case "age": return .text(#"{"age": 5}"#)
        case "count": return .text("\\(prompts.count) prompts")
        case "instructions": return .text(instructions.joined(separator: "\\n\\n"))
        case "fail": return .failure(Broken())
        case "wait": return .silence
        case let other: return .text("You said \\(other).")
        }
      }
    }

    """,
    "Coach": """
    import AgentKit

    struct Coach: Agent {
      let name = "coach"
      let description = "helps"

      var body: some DynamicProfile {
        Profile { Instructions("You help.") }
          .model(ScriptedLanguageModel(deciding: { _ in .text("Coach here.") }))
      }
    }

    """,
  ]

  private struct Door {
    let product: Product
    let coordinator: Session
    let url: String
    let token: String
  }

  /// Opens a door to the agents.
  private func open() async throws -> Door {
    let product = try Product()
    for (type, source) in Self.agents { try product.write(source, as: type) }
    let coordinator = try await product.open(
      "start",
      "--no-chat",
      "--listen",
      "0",
      "--agents",
      product.home + "/Agents",
      "--agent",
      "clerk"
    )
    let port = try await `The doors`.port(of: coordinator)
    try await product.waitUntilServing()
    let token = try String(contentsOfFile: product.home + "/run/token", encoding: .utf8)
    return Door(
      product: product,
      coordinator: coordinator,
      url: "http://127.0.0.1:\(port)",
      token: token
    )
  }

  @Test func `get from an agent what they get from a model`() async throws {
    let door = try await open()
    let interpreter = try await Self.python(door.product)
    let walk = try await door.product.shell(
      "DOOR_URL=\(door.url) DOOR_TOKEN=\(door.token) no_proxy=127.0.0.1 \(interpreter)"
        + " \(Self.counterparts)/openai_client.py"
    )
    #expect(walk.status == 0, "\(walk.output)\(walk.errors)")
    #expect(walk.lines.filter { $0.hasPrefix("ok ") }.count == 22, "\(walk.output)")
    door.coordinator.signal(SIGTERM)
    _ = await door.coordinator.end()
  }

  @Test func `are used as the README says`() async throws {
    let readme = try String(contentsOfFile: Product.root + "/README.md", encoding: .utf8)
    let block = try #require(
      readme.components(separatedBy: "```sh\n").first { $0.contains("OPENAI_BASE_URL") }
    )
    let lines = block.components(separatedBy: "\n").prefix(3)
    let product = try Product()
    let python = try await Self.python(product)
    // The first of them, in a test with a free port.
    #expect(lines.first == "deploy/start --no-chat --listen 8765")
    let coordinator = try await product.open("start", "--no-chat", "--listen", "0")
    let port = try await `The doors`.port(of: coordinator)
    try await product.waitUntilServing()
    let command = lines.dropFirst().joined(separator: "\n")
      .replacing("$XDG_RUNTIME_DIR/orchestrator", with: product.home + "/run")
      .replacing("8765", with: "\(port)").replacing("python3", with: python)
    let answer = try await product.shell("export no_proxy=127.0.0.1; \(command)")
    #expect(answer.output.hasPrefix("Here is how to fold the boat:"), "\(answer.errors)")
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  /// Returns the interpreter with the client, or cancels the test where there is none.
  private static func python(_ product: Product) async throws -> String {
    let python = try await product.shell("\(counterparts)/environment openai")
    guard python.status == 0 else {
      try Test.cancel("There is no Python with the openai package: \(python.errors)")
    }
    return python.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `include an agent of another coordinator`() async throws {
    let door = try await open()
    let other = try Product()
    let agents = try other.write(
      """
      import AgentKit

      struct Caller: Agent {
        let name = "caller"
        let description = "asks an agent elsewhere"
        let permissions: [Permission] = [.network]

        var body: some DynamicProfile {
          Profile { Instructions("You ask.") }
            .model(ChatCompletionsLanguageModel(name: "clerk"))
        }
      }

      """,
      as: "Caller"
    )
    let answer = try await other.start(
      [
        "ask", "tool", "--agents", agents, "--model", Product.model, "--agent", "caller", "--allow",
        "caller",
      ],
      environment: ["ORCHESTRATOR_CHAT_URL": door.url, "ORCHESTRATOR_CHAT_KEY": door.token]
    ).end()
    #expect(answer.output == "It is found crane.\n", "\(answer.errors)")
    let sessions = try await door.product.run("sessions")
    #expect(sessions.output.contains("chat-"), "\(sessions.output)")
    door.coordinator.signal(SIGTERM)
    _ = await door.coordinator.end()
  }
}
