import AgentKit
import Synchronization

/// A log of the levels of reasoning at which a model was prewarmed.
final class WarmedLevels: Sendable {
  private let storage = Mutex<[ContextOptions.ReasoningLevel?]>([])

  var levels: [ContextOptions.ReasoningLevel?] { storage.withLock { $0 } }

  func add(_ level: ContextOptions.ReasoningLevel?) {
    storage.withLock { $0.append(level) }
  }
}

/// A model that only records at which level of reasoning it is prewarmed.
struct LevelModel: LanguageModel {
  let warmed: WarmedLevels

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.reasoning]) }
  var executorConfiguration: Int { 0 }

  struct Executor: ContextualExecutor {
    init(configuration: Int) throws {}

    func prewarm(model: LevelModel, transcript: Transcript, contextOptions: ContextOptions) {
      model.warmed.add(contextOptions.reasoningLevel)
    }

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: LevelModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send("Warm.")
    }
  }
}
