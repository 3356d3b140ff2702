extension ScriptedLanguageModel {
  /// Returns the same script with a window of the given size in tokens, where a token is a word.
  ///
  /// A context that does not fit is refused, as it is by a real model.
  public func contextSize(_ tokens: Int) -> some LanguageModel {
    ScriptedWindow(script: self, contextSize: tokens)
  }
}

/// A script whose contexts can be counted and are limited in size.
package struct ScriptedWindow: LocalLanguageModel {
  let script: ScriptedLanguageModel
  package let contextSize: Int

  package var capabilities: LanguageModelCapabilities { script.capabilities }
  package var executorConfiguration: Executor.Configuration { script.executorConfiguration }
  package var languages: [String] { [] }
  package var displayName: String { "script" }
  package var visionUnavailable: String? { "A script does not accept images." }

  package func tokenCount(of text: String) -> Int { text.wordCount }

  nonisolated(nonsending) package func tokenCount(
    of entries: [Transcript.Entry],
    tools: [Transcript.ToolDefinition]
  ) async throws -> Int {
    entries.reduce(0) { $0 + $1.wordCount }
  }

  package struct Executor: LanguageModelExecutor {
    package typealias Configuration = ScriptedLanguageModel.Executor.Configuration

    private let executor: ScriptedLanguageModel.Executor

    package init(configuration: Configuration) throws {
      executor = try ScriptedLanguageModel.Executor(configuration: configuration)
    }

    package nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: ScriptedWindow,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let words = request.transcript.reduce(0) { $0 + $1.wordCount }
      guard words < model.contextSize else {
        throw LanguageModelError.contextSizeExceeded(
          .init(
            contextSize: model.contextSize,
            tokenCount: words,
            debugDescription: "The context of \(words) tokens does not fit into the model's window"
              + " of \(model.contextSize)."
          )
        )
      }
      try await executor.respond(to: request, model: model.script, streamingInto: channel)
    }
  }
}
