extension LlamaContext {
  /// A prefix shorter than this is computed as fast as it is read.
  private static let smallestStored = 64

  /// Makes a sequence hold exactly a prefix: from a snapshot where there is one, else by computing
  /// it, and then there is one.
  /// - Returns: Whether it was restored.
  func hold(
    _ prefix: [Token],
    in sequence: Int32,
    from snapshots: SnapshotStore?,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> Bool {
    guard let snapshots, model.facts.canRewind, prefix.count >= Self.smallestStored else {
      try prefill(prefix, sequence: sequence, cancel: cancel)
      return false
    }
    let key = SnapshotKey(context: identity, tokens: prefix)
    let outline = outline(of: sequence)
    if let state = snapshots.state(for: key) {
      do throws(LlamaError) {
        try restore(state, to: sequence)
        noteUse(of: sequence, outline: outline)
        return true
      } catch {
        snapshots.discard(key, because: "this context refuses it")
        noteUse(of: sequence, outline: outline)
      }
    }
    try prefill(prefix, sequence: sequence, cancel: cancel)
    snapshots.save(try state(of: sequence), for: key)
    return false
  }
}

extension GenerationRequest {
  /// The tokens of the rendered messages, without the beginning of an answer.
  func prefixTokens(model: LlamaModel) throws(LlamaError) -> [Token] {
    var wanted = rendering(showingTools: hasTools && toolMode != .disallowed)
    wanted.addsGenerationPrompt = false
    return model.promptTokens(of: try model.templates.render(wanted).prompt)
  }

  /// The tokens of the instructions and the tools alone.
  func headTokens(model: LlamaModel) throws(LlamaError) -> [Token] {
    guard let instructions = outline.parts.first(where: { $0.kind == .instructions }) else {
      return []
    }
    var head = self
    head.messages = "[\(instructions.text)]"
    return try head.prefixTokens(model: model)
  }
}
