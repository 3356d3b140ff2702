import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A command` {
  @Test func `ask writes only the answer to standard output`() async throws {
    let product = try Product()
    let answer = try await product.run("ask", "How do I fold a boat?")
    #expect(answer.status == 0)
    #expect(answer.lines.first == "Here is how to fold the boat:", "\(answer.output)")
    #expect(!answer.output.contains("baton"))
    #expect(product.processes().isEmpty)
  }

  @Test func `ask, ps, agents and stop talk to the coordinator that runs`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    let answer = try await product.run("ask", "How do I fold a boat?", "--session", "one")
    #expect(answer.status == 0)

    let table = try await product.run("ps")
    #expect(table.output.contains("coordinator"))
    #expect(table.output.contains("tutorial"), "\(table.output)")
    let json = try await product.run("ps", "--json")
    let tree = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    )
    let workers = try #require(tree["workers"] as? [[String: Any]])
    #expect(workers.contains { $0["role"] as? String == "baton" })
    #expect(workers.allSatisfy { ($0["memory"] as? Int ?? 0) > 1_000_000 })
    let running = Set(product.processes().keys)
    #expect(workers.compactMap { $0["pid"] as? Int }.allSatisfy { running.contains(Int32($0)) })

    let second = try await product.run("start", "--no-chat")
    #expect(second.status == 75)
    let year = Date().ISO8601Format().prefix(4)
    #expect(second.errors.contains("pid \(coordinator.pid), since \(year)-"), "\(second.errors)")

    let stop = try await product.run("stop")
    #expect(stop.status == 0)
    #expect(await coordinator.end().status == 0)
    #expect(product.processes().isEmpty)
    #expect(try await product.run("ps").status == 69)
  }

  @Test func `ask says so when the coordinator that runs cannot follow its options`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat", "--agents", Product.agents)
    try await product.waitUntilServing()
    let question = ["ask", "How do I fold a boat?"]
    for (options, named) in [
      (["--model", "/no/such.gguf", "--context", "512"], "--model, --context:"),
      (["--agents", "/tmp"], "--agents:"), (["--allow", "coach"], "--allow:"),
      (["--sandbox", "required", "--allow", "coach"], "--sandbox, --allow:"),
    ] {
      let session = try await product.start(question + options)
      session.closeInput()
      let refused = await session.end()
      #expect(refused.status == 64)
      #expect(refused.output.isEmpty)
      #expect(refused.errors.contains("(pid \(coordinator.pid)) cannot apply \(named)"))
    }
    let session = try await product.start(question + ["--agents", Product.agents])
    session.closeInput()
    #expect(await session.end().status == 0)
    await coordinator.end(by: SIGTERM)
  }

  @Test(arguments: [
    ["ask", "Hello", "--session", "one\ttwo"], ["start", "--session", "one\ttwo"],
    ["sessions", "import", "/no/such/file", "--as", "one\ttwo"],
  ])
  func `refuses a session that cannot be named so`(arguments: [String]) async throws {
    let product = try Product()
    let session = try await product.start(arguments)
    session.closeInput()
    let refused = await session.end()
    #expect(refused.status == 64)
    #expect(refused.errors.contains("control character U+0009"), "\(refused.errors)")
  }

  @Test(arguments: [
    ["start", "--no-chat", "--session", "one"],
    ["start", "--caps", "rounds=0"], ["start", "--caps", "speed=9"],
    ["start", "--caps", "rounds"], ["start", "--listen", "70000"],
    ["start", "--listen", "0.0.0.0:8765"],
  ])
  func `refuses what cannot be`(arguments: [String]) async throws {
    let product = try Product()
    let session = try await product.start(arguments)
    session.closeInput()
    let outcome = await session.end()
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("orchestrator: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func `asks what comes from standard input, however long it is`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    let long = String(repeating: "word ", count: 2_000) + "last\n\n"
    let answer = try await product.run("ask", "-", "--agents", agents, input: long)
    #expect(answer.status == 0 && answer.output == "ok\n", "\(answer.errors)")
    let transcript = try await product.run("transcript")
    #expect(transcript.output.contains("word last\n"))
    for input in ["", " \n"] {
      let empty = try await product.run("ask", "-", "--agents", agents, input: input)
      #expect(empty.status == 64)
      #expect(empty.errors.contains("The prompt is empty."), "\(empty.errors)")
    }
    let bytes = try await product.shell("printf '\\377' | orchestrator ask - --agents \(agents)")
    #expect(bytes.status == 64)
    #expect(bytes.errors.contains("is not valid UTF-8"), "\(bytes.errors)")
    let argument = try await product.shell("orchestrator ask \"$(printf 'caf\\351')\"")
    #expect(argument.status == 64 && argument.output.isEmpty)
    #expect(argument.errors.contains("Argument 2 is not valid UTF-8"), "\(argument.errors)")
  }

  @Test func `start sends no line that is not UTF-8, goes on, and says so with its status`()
    async throws
  {
    let product = try Product()
    let agents = try product.writeBrief()
    let chat = try await product.shell(
      "printf 'One\\ncaf\\351\\nThree\\n' | orchestrator start --agents \(agents)"
    )
    #expect(chat.status == 1, "\(chat.errors)")
    #expect(chat.lines == ["ok", "ok"])
    #expect(chat.notes(containing: "Line 2 is not valid UTF-8, so it was not sent.").count == 1)
    let transcript = try await product.run("transcript")
    #expect(transcript.lines.count { $0.hasPrefix("person:") } == 2, "\(transcript.output)")
    #expect(!transcript.output.contains("caf"))
  }

  @Test func `turns a cap into the exit of the turn`() async throws {
    let product = try Product()
    let outcome = try await product.run(
      "ask",
      "How do I fold a crane?",
      "--caps",
      "rounds=1",
      "--json"
    )
    #expect(outcome.status == 0)
    let last = try #require(outcome.lines.last)
    #expect(last.contains(#""exit":"cap""#) && last.contains(#""reason":"rounds""#), "\(last)")
    let failing = try await product.run(
      "ask",
      "How do I fold a crane?",
      "--caps",
      "rounds=1,policy=fail"
    )
    #expect(failing.status == 1)
    #expect(failing.output.isEmpty)
    #expect(failing.errors.contains("cap on rounds"))
  }

  @Test func `ask leaves the caps as the coordinator has them, but for those that it gives`()
    async throws
  {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat", "--caps", "rounds=1,policy=fail")
    try await product.waitUntilServing()
    let failing = try await product.run("ask", "How do I fold a crane?", "--caps", "tokens=4000")
    #expect(failing.status == 1)
    #expect(failing.errors.contains("cap on rounds"), "\(failing.errors)")
    let answer = try await product.run("ask", "How do I fold a boat?", "--caps", "rounds=8")
    #expect(answer.status == 0, "\(answer.errors)")
    await coordinator.end(by: SIGTERM)
  }

  @Test func `ask takes for no answer what a model says beside its calls`() async throws {
    let product = try Product()
    let agents = try product.write(Self.talker, as: "Talker")
    let question = "What is a crane?"
    let told = try await product.run("ask", question, "--agents", agents, "--verbose")
    #expect(told.output == "It is a bird.\n", "\(told.errors)")
    #expect(told.notes(containing: "talker: Let me look.").count == 1, "\(told.errors)")
    let quiet = try await product.run("ask", question, "--agents", agents, "--session", "two")
    #expect(quiet.output == "It is a bird.\n", "\(quiet.errors)")
    #expect(quiet.notes(containing: "Let me look.").isEmpty)
  }

  /// An agent whose model says something and calls a tool in the same response.
  private static let talker = ##"""
    import AgentKit

    struct Talker: Agent {
      let name = "talker"
      let description = "talks beside its calls"

      var body: some DynamicProfile {
        Profile {
          Instructions("Look it up.")
          LookUp()
        }
        .model(TalkingModel())
      }
    }

    struct LookUp: Tool {
      let name = "look_up"
      let description = "Looks a word up."
      @Generable struct Arguments { var word: String }

      func call(arguments: Arguments) async throws -> String { "a bird" }
    }

    struct TalkingModel: LanguageModel {
      let executorConfiguration = 1

      var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.toolCalling]) }

      struct Executor: LanguageModelExecutor {
        init(configuration: Int) throws {}

        nonisolated(nonsending) func respond(
          to request: LanguageModelExecutorGenerationRequest,
          model: TalkingModel,
          streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {
          if case .toolOutput = request.transcript.last {
            await channel.send(
              .response(entryID: "answer", action: .appendText("It is a bird.", tokenCount: 4))
            )
            return
          }
          await channel.send(
            .response(entryID: "text", action: .appendText("Let me look.", tokenCount: 3))
          )
          await channel.send(
            .toolCalls(
              entryID: "calls",
              action: .toolCall(
                id: "1",
                name: "look_up",
                action: .appendArguments(#"{"word": "crane"}"#, tokenCount: 1)
              )
            )
          )
        }
      }
    }
    """##
}
