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
    of agent: AgentDescription,
    cancel: CancelFlag? = nil
  ) throws -> (count: Int, isRestored: Bool) {
    try generation.prepare(GenerationRequest(of: agent), cancel: cancel)
  }

  /// Plans a request that is never made, so that its lookups in the vocabulary and the template need
  /// not be repeated in each fork.
  package func rehearse(_ agent: AgentDescription) throws {
    _ = tokenCount(of: agent.instructions)
    try generation.planGreeting(to: agent)
  }

  /// Does what an answer begins with and undoes it, on a core that is otherwise idle.
  package func rehearseAnswer(of agent: AgentDescription, cancel: CancelFlag) async throws {
    try await compute(cancel: cancel) { generation, cancel throws(LlamaError) in
      try generation.context.rehearse(cancel: cancel)
      try generation.planGreeting(to: agent)
    }
  }
}

extension Generation {
  /// Plans the answer to a greeting and discards it.
  fileprivate func planGreeting(to agent: AgentDescription) throws(LlamaError) {
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    _ = try GenerationPlan(GenerationRequest(of: agent, entries: [.prompt(prompt)]), context)
  }
}

extension LlamaModel {
  /// Returns the tokens of an agent's instructions and tools, as text.
  package func prefix(of agent: AgentDescription) throws(LlamaError) -> [String] {
    try GenerationRequest(of: agent).headTokens(model: self).map { token in
      String(decoding: piece(of: token, showingControl: true), as: UTF8.self)
    }
  }
}

extension GenerationRequest {
  /// Creates a request from what every request of an agent begins with, and the entries that
  /// follow.
  fileprivate init(of agent: AgentDescription, entries: [Transcript.Entry] = []) {
    let text = agent.instructions
    let entry = Transcript.Instructions(
      segments: text.isEmpty ? [] : [.text(.init(content: text))],
      toolDefinitions: agent.tools
    )
    self.init(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [.instructions(entry)] + entries),
        enabledTools: agent.tools,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions(reasoningLevel: agent.reasoningLevel)
      )
    )
  }
}
