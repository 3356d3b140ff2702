import AgentKit
import Foundation
import TestSupport

/// An agent whose model does what no model should.
enum Adversary {
  enum Way: String, CaseIterable {
    case circle, malformed, empty, enormous, failing, pingpong, silence, endless

    /// Returns a random way; those that last until the cap on seconds are rare.
    static func random(using random: inout Seeded) -> Way {
      if Int.random(in: 0..<50, using: &random) == 0 {
        return Bool.random(using: &random) ? .silence : .endless
      }
      let quick: [Way] = [.circle, .malformed, .empty, .enormous, .failing, .pingpong]
      return quick[Int.random(in: 0..<quick.count, using: &random)]
    }

    /// Whether the cap on seconds is what ends it.
    var isLong: Bool { self == .silence || self == .endless }

    func isExpected(_ exit: TurnExit) -> Bool {
      switch (self, exit) {
      case (.empty, .answered), (.enormous, .cap("tokens")), (.failing, .failed),
        (.silence, .cap("seconds")), (.endless, .cap("seconds")), (.circle, .cap),
        (.malformed, .cap), (.pingpong, .cap):
        true
      default: false
      }
    }
  }

  static func write(to folder: String) throws {
    for (type, partner) in [("Adversary", "accomplice"), ("Accomplice", "adversary")] {
      try source(type, partner: partner).write(
        toFile: "\(folder)/\(type).swift",
        atomically: true,
        encoding: .utf8
      )
    }
  }

  private static func source(_ type: String, partner: String) -> String {
    """
    import AgentKit
    import Foundation

    struct \(type): Agent {
      let name = "\(type.lowercased())"
      let description = "never wants to end"

      var body: some DynamicProfile {
        Profile {
          Instructions("Never end.")
          Look()
          PassBaton(to: "\(partner)")
        }
        .model(Stubborn())
      }
    }

    struct Look: Tool {
      let name = "look"
      let description = "Looks."

      @Generable
      struct Arguments {
        var at: String
      }

      func call(arguments: Arguments) -> String { "seen" }
    }

    struct Stubborn: LanguageModel {
      static let script = ScriptedLanguageModel { request in
        var outputs = 0
        for entry in request.transcript.reversed() {
          if case .toolOutput = entry { outputs += 1 }
          guard case .prompt = entry else { continue }
          switch entry.description {
          case "circle": return .call("look", #"{"at": "the same"}"#)
          case "malformed":
            let calls: [ScriptedLanguageModel.Call] = [
              .init("look", #"{"at": "#), .init("nothing", "{}"), .init("look", "[]"), .init("", "{}"),
              .init("look", #"{"at": 7}"#),
            ]
            return .calls([calls[outputs % calls.count]])
          case "empty": return .text("")
          case "enormous": return .text(String(repeating: "enormous ", count: 10_000))
          case "pingpong": return .call("pass_baton", #"{"to": "\(partner)"}"#)
          case "silence": return .silence
          default: return .failure(CocoaError(.fileNoSuchFile))
          }
        }
        return .text("")
      }

      var capabilities: LanguageModelCapabilities { Self.script.capabilities }
      var executorConfiguration: Executor.Configuration { Self.script.executorConfiguration }

      struct Executor: LanguageModelExecutor {
        typealias Configuration = ScriptedLanguageModel.Executor.Configuration

        let executor: ScriptedLanguageModel.Executor

        init(configuration: Configuration) throws {
          executor = try ScriptedLanguageModel.Executor(configuration: configuration)
        }

        nonisolated(nonsending) func respond(
          to request: LanguageModelExecutorGenerationRequest,
          model: Stubborn,
          streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {
          // It says one word after the other, and does not hear that it is to stop.
          while request.transcript.last?.description == "endless" {
            await channel.send(.response(action: .appendText("more ", tokenCount: 1)))
            try? await Task.sleep(for: .milliseconds(5))
            if Task.isCancelled { usleep(20_000) }
          }
          try await executor.respond(to: request, model: Stubborn.script, streamingInto: channel)
        }
      }
    }
    """
  }
}
