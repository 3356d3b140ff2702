package import AgentKit

// What a template does before it is forked: on the calling thread, and without starting another.

extension LlamaEngine {
  /// Runs a prompt that nobody sees, so that the memory which computing needs is there before a
  /// fork, and not anew in every child.
  package func touchMemory() throws {
    let tokens = generation.context.model.tokens(of: "Hello")
    guard !tokens.isEmpty else { return }
    try generation.context.prefill(tokens)
    try generation.context.clear(0)
  }

  /// Computes what every request of an agent begins with, its instructions and its tools, or
  /// restores it where another process has computed it.
  ///
  /// Whatever a request has in common with it is not computed again; a template that cannot render
  /// it alone costs only that.
  /// - Returns: How many tokens the context holds, and whether they were restored.
  @discardableResult
  package func computePrefix(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition]
  ) throws -> (count: Int, isRestored: Bool) {
    let entry = Transcript.Instructions(
      segments: instructions.isEmpty ? [] : [.text(.init(content: instructions))],
      toolDefinitions: definitions
    )
    return try generation.prepare(
      GenerationRequest(
        LanguageModelExecutorGenerationRequest(
          transcript: Transcript(entries: [.instructions(entry)]),
          enabledTools: definitions,
          generationOptions: GenerationOptions(),
          contextOptions: ContextOptions()
        )
      )
    )
  }
}
