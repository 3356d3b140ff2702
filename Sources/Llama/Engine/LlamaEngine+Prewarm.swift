import AgentKit

extension LlamaEngine {
  /// Computes, ahead of need, what a request that continues a transcript begins with.
  ///
  /// The next request, or counting a transcript, ends it; what was computed until then stays.
  func prewarm(_ transcript: Transcript, _ options: ContextOptions) {
    let cancel = CancelFlag()
    let requests = ["a", "b"].map { GenerationRequest(transcript, options, goingOnWith: $0) }
    // Unstructured because the caller does not wait; `warm(nil)` ends it.
    let task = Task {
      // A failure here is reported by the request that needs the prefix.
      _ = try? await compute(cancel: cancel) { generation, cancel throws(LlamaError) in
        try generation.warm(requests[0], unlike: requests[1], cancel: cancel)
      }
    }
    warm(Warming(task: task, cancel: cancel))
  }

  /// Waits until nothing is being computed ahead.
  package func warmed() async {
    await currentWarming?.task.value
  }
}

/// A prefix being computed ahead of need.
struct Warming: Sendable {
  let task: Task<Void, Never>
  let cancel: CancelFlag

  func stop() {
    cancel.set()
    task.cancel()
  }
}

extension Generation {
  /// Makes the context hold what two requests have in common.
  func warm(
    _ request: GenerationRequest,
    unlike other: GenerationRequest,
    cancel: CancelFlag
  ) throws(LlamaError) {
    let one = try request.prefixInput(context)
    let two = try other.prefixInput(context)
    let shared = zip(one.tokens, two.tokens).prefix { $0 == $1 }.count
    let input = one.prefix(shared)
    guard !input.tokens.isEmpty, input.tokens.count < context.contextSize else { return }
    let place = try context.allocateSequence(for: input.tokens, segments: request.segments)
    if !place.knowsHead {
      let head = try request.headTokens(model: context.model)
      if input.tokens.starts(with: head), place.cached < head.count {
        _ = try context.loadPrefix(head, in: place.sequence, from: snapshots, cancel: cancel)
      }
    }
    try context.prefill(input, sequence: place.sequence, cancel: cancel)
  }
}

extension GenerationRequest {
  /// Creates a request that continues a transcript by more words, in its last prompt or in a new
  /// one.
  init(_ transcript: Transcript, _ options: ContextOptions, goingOnWith words: String) {
    var transcript = transcript
    let segment = Transcript.Segment.text(.init(content: words))
    var tools: [Transcript.ToolDefinition] = []
    if case .instructions(let entry) = transcript.first { tools = entry.toolDefinitions }
    if case .prompt(var prompt) = transcript.last {
      prompt.segments.append(segment)
      transcript[transcript.endIndex - 1] = .prompt(prompt)
    } else {
      transcript.append(.prompt(.init(segments: [segment])))
    }
    self.init(
      LanguageModelExecutorGenerationRequest(
        transcript: transcript,
        enabledTools: tools,
        generationOptions: GenerationOptions(),
        contextOptions: options
      )
    )
  }
}
