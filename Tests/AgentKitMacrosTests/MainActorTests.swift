import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A profile in a module of the main actor` {
  @Test func `may read and change what the main actor owns`() async throws {
    let source = """
      import Observation

      @Observable final class Orchestrator {
        enum Mode { case brainstorm, tutorial }
        var mode = Mode.brainstorm
      }

      struct PassBaton: Tool {
        let name = "pass"
        let description = "Passes the baton."
        @Generable struct Arguments {}
        func call(arguments: Arguments) async throws -> String { "passed" }
      }

      struct Craft: LanguageModelSession.DynamicProfile {
        var orchestrator: Orchestrator

        var body: some LanguageModelSession.DynamicProfile {
          switch orchestrator.mode {
          case .brainstorm:
            LanguageModelSession.Profile {
              Instructions("Brainstorm.")
              PassBaton()
            }
            .onToolCall { orchestrator.mode = .tutorial }
            .onToolOutput { _, _ in orchestrator.mode = .tutorial }
            .onPrompt { orchestrator.mode = .tutorial }
          case .tutorial:
            LanguageModelSession.Profile { Instructions("Teach.") }
              .onActivate { orchestrator.mode = .brainstorm }
          }
        }
      }

      func use(_ orchestrator: Orchestrator) async throws -> String {
        let session = LanguageModelSession(profile: Craft(orchestrator: orchestrator))
        return try await session.respond(to: "Go").content
      }
      """
    let output = try await SwiftCompiler.complaints(
      about: source,
      flags: ["-default-isolation", "MainActor", "-warnings-as-errors"],
      findingRaces: true
    )
    #expect(output == "")
  }
}
