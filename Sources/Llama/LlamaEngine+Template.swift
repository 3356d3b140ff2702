package import AgentKit
import Libllama

// What a template does before it is forked: on the calling thread, and without starting another.

extension LlamaEngine {
  /// Whether a process that has computed on several threads has one again afterwards.
  package static var leavesNoThreads: Bool {
    !String(cString: llama_print_system_info()).contains("OPENMP = 1")
  }

  /// Says on how many cores to compute; on one where nobody says.
  package func compute(on count: (() -> Int)?) {
    generation.context.coreCount = count
  }

  /// Runs a prompt that nobody sees, so that what the first step looks up and sets up is there before a
  /// fork, and not anew in every child.
  package func touchMemory(cancel: CancelFlag? = nil) throws {
    let tokens = generation.context.model.tokens(of: "Hello")
    guard !tokens.isEmpty else { return }
    try generation.context.prefill(tokens, cancel: cancel)
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
    tools definitions: [Transcript.ToolDefinition],
    cancel: CancelFlag? = nil
  ) throws -> (count: Int, isRestored: Bool) {
    try generation.prepare(
      GenerationRequest(instructions: instructions, tools: definitions),
      cancel: cancel
    )
  }

  /// Plans a request that nobody makes: what is looked up in the vocabulary and the template for the
  /// first one need not be looked up in each fork.
  package func rehearse(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition]
  ) throws {
    _ = tokenCount(of: instructions)
    try generation.planGreeting(instructions: instructions, tools: definitions)
  }

  /// Does what an answer begins with, and takes it back, on a core that nobody else wants.
  package func rehearseAnswer(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
    cancel: CancelFlag
  ) async throws {
    try await compute(cancel: cancel) { generation, cancel throws(LlamaError) in
      try generation.context.rehearse(cancel: cancel)
      try generation.planGreeting(instructions: instructions, tools: definitions)
    }
  }
}

extension Generation {
  /// Plans the answer to a greeting, and forgets it.
  fileprivate func planGreeting(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition]
  ) throws(LlamaError) {
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    let request = GenerationRequest(
      instructions: instructions,
      tools: definitions,
      entries: [.prompt(prompt)]
    )
    _ = try GenerationPlan(request, context)
  }
}

extension LlamaModel {
  /// The tokens of instructions and tools, as text.
  package func prefix(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition]
  ) throws(LlamaError) -> [String] {
    let request = GenerationRequest(instructions: instructions, tools: definitions)
    return try request.headTokens(model: self).map { token in
      String(decoding: piece(of: token, showingControl: true), as: UTF8.self)
    }
  }
}

extension GenerationRequest {
  /// What every request of an agent begins with, and what follows it.
  fileprivate init(
    instructions: String,
    tools definitions: [Transcript.ToolDefinition],
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
        contextOptions: ContextOptions()
      )
    )
  }
}
