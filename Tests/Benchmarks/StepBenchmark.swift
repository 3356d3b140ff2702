import AgentKit
import Coordination
import Foundation
import Journal
import Plugins
import Supervision
import Wire

/// What a step costs outside the model: a round of one call, through a worker's pipes and with the
/// journal on, against the same round of the same session in this process without either.
enum StepBenchmark {
  private static let rounds = 200
  private static let runs = 7

  static func run() async throws -> Row {
    let home = Products.temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: home) }
    let setup = try await Setup(home: home)
    var orchestrated = Sample("worker and journal")
    var bare = Sample("bare session")
    var caps = Caps()
    caps.rounds = rounds + 1
    caps.calls = rounds
    caps.tokens = .max / 4
    for run in 0..<runs {
      let conversation = try await setup.conversations.conversation(named: "\(run)")
      // The first turn starts the worker; only the second is measured.
      _ = try await conversation.respond(to: "begin", caps: caps) { _ in }
      let start = ContinuousClock.now
      let summary = try await conversation.respond(to: "steps", caps: caps) { _ in }
      guard summary.exit == .answered else { throw Unfinished(exit: summary.exit) }
      orchestrated.add(.now - start, dividedBy: rounds)
      bare.add(try await bareTurn(), dividedBy: rounds)
    }
    await setup.close()
    return Row(name: "a step outside the model", measured: orchestrated, against: bare)
  }

  struct Unfinished: Error {
    let exit: TurnExit
  }

  private static func bareTurn() async throws -> Duration {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel { request in
        StepScript.step(request, rounds: rounds)
      },
      tools: [Nothing()]
    )
    let start = ContinuousClock.now
    _ = try await session.respond(to: "steps")
    return .now - start
  }

  /// The coordinator's rooms, put together for one agent.
  private struct Setup {
    let conversations: Conversations
    let roster: Roster

    init(home: String) async throws {
      let agents = home + "/Agents"
      try FileManager.default.createDirectory(
        atPath: agents,
        withIntermediateDirectories: true
      )
      try StepScript.agent(rounds: rounds)
        .write(toFile: agents + "/Stepper.swift", atomically: true, encoding: .utf8)
      let kit = try await Kit(
        beside: Products.worker,
        environment: ProcessInfo.processInfo.environment
      )
      let plugins = try await PluginStore(folder: agents, kit: kit, cache: home).refresh()
      roster = try Roster(executable: kit.worker)
      conversations = Conversations(
        journal: try Journal(path: home + "/journal.sqlite"),
        workers: BenchmarkWorkers(roster: roster, folder: home),
        catalog: BenchmarkCatalog(plugin: plugins[0].library)
      )
    }

    func close() async {
      await conversations.close()
      await roster.close()
    }
  }
}

/// Returns at once.
struct Nothing: Tool {
  let name = "nothing"
  let description = "Does nothing."

  @Generable
  struct Arguments {}

  func call(arguments: Arguments) async throws -> String { "done" }
}

/// A model that calls a tool a number of times and then answers.
enum StepScript {
  static func step(
    _ request: LanguageModelExecutorGenerationRequest,
    rounds: Int
  ) -> ScriptedLanguageModel.Step {
    let sincePrompt = request.transcript.reversed().prefix {
      if case .prompt = $0 { false } else { true }
    }
    return sincePrompt.count / 2 < rounds ? .call("nothing") : .text("done")
  }

  /// The same as the source of an agent.
  ///
  /// Its first turn answers at once.
  static func agent(rounds: Int) -> String {
    """
    import AgentKit

    struct Nothing: Tool {
      let name = "nothing"
      let description = "Does nothing."
      @Generable struct Arguments {}
      func call(arguments: Arguments) async throws -> String { "done" }
    }

    struct Stepper: Agent {
      let name = "stepper"
      let description = "steps"

      var body: some DynamicProfile {
        Profile { Nothing() }
          .model(
            ScriptedLanguageModel(deciding: { request in
              let sincePrompt = request.transcript.reversed().prefix {
                if case .prompt = $0 { false } else { true }
              }
              let isFirst = !request.transcript.contains { "\\($0)" == "steps" }
              return !isFirst && sincePrompt.count / 2 < \(rounds)
                ? .call("nothing") : .text("done")
            })
          )
      }
    }
    """
  }
}
