package import AgentKit
import Libllama

// What a template does before it is forked: on the calling thread, without starting another.

extension LlamaEngine {
  /// Whether a process that has computed on several threads has only one afterwards.
  package static var leavesNoThreads: Bool {
    !String(cString: llama_print_system_info()).contains("OPENMP = 1")
  }

  /// Sets the source of the number of cores to compute on; `nil` for one core.
  package func takeCoreCount(from count: (() -> Int)?) {
    generation.context.coreCount = count
  }

  /// Runs a prompt and discards it, so that what the first step looks up and sets up exists before
  /// a fork rather than anew in every child.
  package func touchMemory(cancel: CancelFlag? = nil) throws {
    let tokens = generation.context.model.tokens(of: "Hello")
    guard !tokens.isEmpty else { return }
    try generation.context.prefill(tokens, cancel: cancel)
    try generation.context.clear(0)
  }

  /// Computes what every request of an agent begins with, its instructions and tools, or restores
  /// it where another process has computed it.
  ///
  /// Whatever a request shares with it is not computed again. A template that cannot render it
  /// alone loses only that.
  ///
  /// - Returns: The number of tokens that the context holds, and whether they were restored.
  @discardableResult
  package func computePrefix(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?,
    cancel: CancelFlag? = nil
  ) throws -> (count: Int, isRestored: Bool) {
    try generation.prepare(
      GenerationRequest(
        instructions: instructions,
        tools: definitions,
        reasoningLevel: reasoningLevel
      ),
      cancel: cancel
    )
  }

  /// Plans a request that is never made, so that its lookups in the vocabulary and the template need
  /// not be repeated in each fork.
  package func rehearse(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?
  ) throws {
    _ = tokenCount(of: instructions)
    try generation.planGreeting(
      instructions: instructions,
      tools: definitions,
      reasoningLevel: reasoningLevel
    )
  }

  /// Does what an answer begins with and undoes it, on a core that is otherwise idle.
  package func rehearseAnswer(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?,
    cancel: CancelFlag
  ) async throws {
    try await compute(cancel: cancel) { generation, cancel throws(LlamaError) in
      try generation.context.rehearse(cancel: cancel)
      try generation.planGreeting(
        instructions: instructions,
        tools: definitions,
        reasoningLevel: reasoningLevel
      )
    }
  }
}

extension Generation {
  /// Plans the answer to a greeting and discards it.
  fileprivate func planGreeting(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?
  ) throws(LlamaError) {
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    let request = GenerationRequest(
      instructions: instructions,
      tools: definitions,
      reasoningLevel: reasoningLevel,
      entries: [.prompt(prompt)]
    )
    _ = try GenerationPlan(request, context)
  }
}

extension LlamaModel {
  /// Returns the tokens of instructions and tools, as text.
  package func prefix(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?
  ) throws(LlamaError) -> [String] {
    let request = GenerationRequest(
      instructions: instructions,
      tools: definitions,
      reasoningLevel: reasoningLevel
    )
    return try request.headTokens(model: self).map { token in
      String(decoding: piece(of: token, showingControl: true), as: UTF8.self)
    }
  }
}

extension GenerationRequest {
  /// Creates a request from what every request of an agent begins with, and the entries that
  /// follow.
  fileprivate init(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    reasoningLevel: ContextOptions.ReasoningLevel?,
    entries: [Transcript.Entry] = []
  ) {
    let entry = Transcript.Instructions(
      segments: instructions.isEmpty ? [] : [.text(.init(content: instructions))],
      toolDefinitions: definitions
    )
    self.init(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [.instructions(entry)] + entries),
        enabledTools: definitions,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions(reasoningLevel: reasoningLevel)
      )
    )
  }
}
