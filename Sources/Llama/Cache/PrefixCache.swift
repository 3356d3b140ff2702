extension LlamaContext {
  /// A shorter prefix is computed as fast as it is read.
  private static let smallestStored = 64

  /// Makes a sequence hold exactly a prefix, restored from a snapshot if there is one, and
  /// otherwise computed; the first is saved as one.
  ///
  /// - Returns: Whether it was restored.
  func loadPrefix(
    _ prefix: [Token],
    in sequence: Int32,
    from snapshots: SnapshotStore?,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> Bool {
    guard let snapshots, model.facts.canRewind, prefix.count >= Self.smallestStored else {
      try prefill(prefix, sequence: sequence, cancel: cancel)
      return false
    }
    let key = SnapshotKey(context: "\(identity); build \(snapshots.build)", tokens: prefix)
    let segments = segments(of: sequence)
    if let state = snapshots.state(for: key) {
      do throws(LlamaError) {
        try restore(state, to: sequence)
        noteUse(of: sequence, segments: segments)
        keepsNextPrefix = false
        return true
      } catch {
        noteUse(of: sequence, segments: segments)
        // Beside other sequences it may not have enough room, which is no fault of the snapshot.
        let held = sequences(besides: sequence).reduce(0) { $0 + tokens(in: $1).count }
        guard held == 0 else {
          throw .contextSizeExceeded(contextSize: contextSize, tokenCount: held + prefix.count)
        }
        snapshots.discard(key, because: "this context refuses it")
      }
    }
    try prefill(prefix, sequence: sequence, cancel: cancel)
    // What is restored counts as computed together.
    guard keepsNextPrefix, togetherCount(in: sequence) == prefix.count else { return false }
    keepsNextPrefix = false
    if snapshots.hasRoom(for: try stateByteCount(of: sequence), of: key) {
      snapshots.save(try state(of: sequence), for: key)
    }
    return false
  }
}

extension GenerationRequest {
  /// Returns the tokens of the rendered messages, without the beginning of an answer.
  private func prefixTokens(model: LlamaModel) throws(LlamaError) -> [Token] {
    model.promptTokens(of: try prefix(model: model))
  }

  /// Returns the tokens and images of the rendered messages, without the beginning of an answer.
  func prefixInput(_ context: LlamaContext) throws(LlamaError) -> PromptInput {
    try PromptInput(
      try prefix(model: context.model),
      // Without a projector there is nothing to compute, and the marks are counted instead.
      images: context.projector == nil ? nil : images,
      model: context.model,
      projector: context.projector
    )
  }

  func prefix(model: LlamaModel) throws(LlamaError) -> String {
    var wanted = rendering(showingTools: hasTools && toolMode != .disallowed)
    wanted.addsGenerationPrompt = false
    return try model.templates.render(wanted, thinking: thinking).prompt
  }

  /// Returns what every request with these instructions and tools begins with.
  ///
  /// This is found by rendering two requests, because many templates write more than the
  /// instructions before the first prompt, and some cannot render instructions without a prompt.
  func headTokens(model: LlamaModel) throws(LlamaError) -> [Token] {
    let head = segments.parts.first { $0.kind == .instructions }
    let instructions = head?.text
    guard instructions != nil || hasTools else { return [] }
    // Other processes cannot continue from an image.
    if let head, !head.images.isEmpty { return [] }
    func tokens(asking question: String) throws(LlamaError) -> [Token] {
      var request = self
      let prompt = #"{"role": "user", "content": "\#(question)"}"#
      request.messages = "[\([instructions, prompt].compactMap(\.self).joined(separator: ", "))]"
      return try request.prefixTokens(model: model)
    }
    let (one, other) = (try tokens(asking: "a"), try tokens(asking: "b"))
    return zip(one, other).prefix { $0 == $1 }.map(\.0)
  }
}
