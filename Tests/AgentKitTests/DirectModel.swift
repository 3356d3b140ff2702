import AgentKit
import Foundation
import Testing

/// A model that sends what its test specifies, part by part.
struct DirectModel: LanguageModel {
  typealias Action = @Sendable (LanguageModelExecutorGenerationChannel) async throws -> Void

  let capabilities = LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  let executorConfiguration = UUID()
  let action: Action

  init(_ action: @escaping Action) {
    self.action = action
  }

  /// Returns a model that sends some text, and then waits until it is cancelled.
  static func endless(_ text: String) -> DirectModel {
    DirectModel { channel in
      await channel.send(text)
      await Meeting(of: 1).wait()
      throw CancellationError()
    }
  }

  /// Returns the transcript of a round in which the model calls `quit`, which ends the turn.
  func transcriptEndedByQuit() async -> Transcript {
    let session = LanguageModelSession(
      model: self,
      tools: [Doing("quit") { _ in throw Mishap() }]
    )
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
    return session.transcript
  }

  struct Executor: LanguageModelExecutor {
    init(configuration: UUID) throws {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: DirectModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await model.action(channel)
    }
  }
}

extension LanguageModelExecutorGenerationChannel {
  /// Sends a part of an answer.
  func send(_ text: String) async {
    await send(.response(action: .appendText(text, tokenCount: 1)))
  }
}
