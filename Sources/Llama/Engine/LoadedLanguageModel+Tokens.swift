package import AgentKit

extension LoadedLanguageModel: LocalLanguageModel {
  package var contextSize: Int { engine.contextSize }

  package var languages: [String] { engine.facts.languages }

  package var displayName: String { engine.facts.name ?? engine.facts.description }

  package var visionUnavailable: String? {
    let path = engine.generation.context.model.path
    return engine.visionUnavailable?.sentence(of: displayName, at: path)
  }

  package func tokenCount(of text: String) -> Int {
    // The vocabulary never changes, so this need not wait for the engine's current work.
    engine.tokenCount(of: text)
  }

  nonisolated(nonsending) package func tokenCount(
    of entries: [Transcript.Entry],
    tools definitions: [Transcript.ToolDefinition]
  ) async throws -> Int {
    let request = GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: entries),
        enabledTools: definitions,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions()
      ),
      nativeToolsOnly: nativeToolsOnly
    )
    // Otherwise counting would wait for everything that is computed ahead.
    engine.warm(nil)
    return try await engine.perform { generation throws(LlamaError) in
      let model = generation.context.model
      if request.hasTools, request.nativeToolsOnly,
        try !model.templates.toolSyntax().carriesTools
      {
        throw .templateCannotCarryTools
      }
      return try request.prefixInput(generation.context).tokens.count
    }
  }
}
