import AgentKit
import Foundation

/// A model that writes text alongside its calls.
struct TalkingModel: LanguageModel {
  /// The text of each round, and the tools called alongside it.
  let rounds: [(text: String, tools: [String])]
  let requests: Requests
  let executorConfiguration = UUID()

  init(requests: Requests, rounds: [(String, [String])]) {
    self.requests = requests
    self.rounds = rounds
  }

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.toolCalling]) }

  struct Executor: LanguageModelExecutor {
    init(configuration: UUID) throws {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: TalkingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let round = model.rounds[model.requests.count]
      model.requests.keep(request)
      await channel.send(
        .response(
          entryID: "text \(model.requests.count)",
          action: .appendText(round.text, tokenCount: 1)
        )
      )
      for tool in round.tools {
        await channel.send(
          .toolCalls(
            entryID: "calls",
            action: .toolCall(
              id: UUID().uuidString,
              name: tool,
              action: .appendArguments("{}", tokenCount: 1)
            )
          )
        )
      }
    }
  }
}
