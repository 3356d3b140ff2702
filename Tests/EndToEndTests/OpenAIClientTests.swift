import Foundation
import Testing

/// Clients of other makers, which take agents for models.
@Suite(.timeLimit(.minutes(10))) struct `Clients of OpenAI's interface` {
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

    func close() async {
      await coordinator.end(by: SIGTERM)
    }
  }

  /// Opens a door to the agents.
  private func open() async throws -> Door {
    let product = try Product()
    for (type, source) in Self.agents { try product.write(source, as: type) }
    let (coordinator, port) = try await product.listen(
      "--agents",
      product.home + "/Agents",
      "--agent",
      "clerk"
    )
    return Door(
      product: product,
      coordinator: coordinator,
      url: "http://127.0.0.1:\(port)",
      token: try product.token
    )
  }

  @Test func `get from an agent what they get from a model`() async throws {
    let python = try await Counterpart.python("openai")
    let door = try await open()
    let walk = try await Counterpart.run(
      script: "openai_client.py",
      with: python,
      [],
      environment: [
        "DOOR_URL": door.url, "DOOR_TOKEN": door.token, "no_proxy": "127.0.0.1",
      ]
    )
    #expect(walk.status == 0, "\(walk.output)\(walk.errors)")
    #expect(walk.lines.filter { $0.hasPrefix("ok ") }.count == 22, "\(walk.output)")
    await door.close()
  }

  @Test func `are used as the README says`() async throws {
    let readme = try String(contentsOfFile: Product.root + "/README.md", encoding: .utf8)
    let block = try #require(
      readme.components(separatedBy: "```sh\n").first { $0.contains("OPENAI_BASE_URL") }
    )
    let lines = block.components(separatedBy: "\n").prefix(3)
    let python = try await Counterpart.python("openai")
    let product = try Product()
    // The first of them, in a test with a free port.
    #expect(lines.first == "deploy/start --no-chat --listen 8765")
    let (coordinator, port) = try await product.listen()
    let command = lines.dropFirst().joined(separator: "\n")
      .replacing("$XDG_RUNTIME_DIR/orchestrator", with: product.home + "/run")
      .replacing("8765", with: "\(port)").replacing("python3", with: python)
    let answer = try await product.shell("export no_proxy=127.0.0.1; \(command)")
    #expect(answer.output.hasPrefix("Here is how to fold the boat:"), "\(answer.errors)")
    await coordinator.end(by: SIGTERM)
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
    await door.close()
  }
}
