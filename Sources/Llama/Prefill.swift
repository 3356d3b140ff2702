import Libllama

/// How much of a prompt had to be computed.
package struct PrefillFigures: Sendable, Equatable {
  /// Tokens that the sequence already held.
  package let cached: Int
  package let computed: Int

  package init(cached: Int, computed: Int) {
    self.cached = cached
    self.computed = computed
  }
}

extension LlamaContext {
  /// Makes a sequence hold exactly `tokens`, computing only what follows their longest common
  /// prefix with what it holds.
  ///
  /// The last token is always computed, since sampling needs its logits. After an error the
  /// sequence holds what was computed until then, and is usable.
  @discardableResult
  package func prefill(
    _ tokens: [Token],
    sequence: Int32 = 0,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> PrefillFigures {
    try check(sequence)
    guard !tokens.isEmpty else { throw .emptyPrompt }
    guard tokens.count <= contextSize else {
      throw .contextSizeExceeded(contextSize: contextSize, tokenCount: tokens.count)
    }
    let cached = try rewind(sequence, to: reusableCount(of: tokens, in: sequence))
    var rest = tokens[cached...]
    while !rest.isEmpty {
      // One micro-batch a step, so that the number of threads can change within a long prompt.
      let chunk = rest.prefix(microBatchSize)
      rest = rest.dropFirst(chunk.count)
      try decode(chunk, sequence: sequence, wantsLogits: rest.isEmpty, cancel: cancel)
    }
    return PrefillFigures(cached: cached, computed: tokens.count - cached)
  }

  /// Adds one sampled token to a sequence.
  func append(_ token: Token, to sequence: Int32, cancel: CancelFlag?) throws(LlamaError) {
    try decode([token], sequence: sequence, wantsLogits: true, cancel: cancel)
  }

  /// How many tokens of a prompt need not be computed again.
  func reusableCount(of tokens: [Token], in sequence: Int32) -> Int {
    let held = self.tokens(in: sequence)
    let common = min(
      zip(held, tokens).prefix { $0 == $1 }.count,
      max(0, tokens.count - 1)
    )
    return common == held.count || model.facts.canRewind ? common : 0
  }

  /// Forgets what a sequence holds after `count` tokens, or all of it where that is refused.
  private func rewind(_ sequence: Int32, to count: Int) throws(LlamaError) -> Int {
    let held = tokens(in: sequence)
    guard count < held.count else { return count }
    if count > 0, llama_memory_seq_rm(memory, sequence, Int32(count), -1) {
      note(Array(held.prefix(count)), in: sequence)
      return count
    }
    try clear(sequence)
    return 0
  }

  private func decode(
    _ tokens: ArraySlice<Token>,
    sequence: Int32,
    wantsLogits: Bool,
    cancel: CancelFlag?
  ) throws(LlamaError) {
    if let cancel, cancel.isSet { throw .cancelled }
    fill(tokens, sequence: sequence, wantsLogits: wantsLogits)
    var filled = batch
    filled.n_tokens = Int32(tokens.count)
    let code = compute(filled, in: sequence, cancel: cancel)
    guard code != 0 else {
      noteAppended(tokens, to: sequence)
      return
    }
    try keepComputedPart(of: tokens, in: sequence)
    switch code {
    case 1:
      let held = (0..<sequenceCount).reduce(0) { $0 + self.tokens(in: Int32($1)).count }
      throw .contextSizeExceeded(contextSize: contextSize, tokenCount: held + tokens.count)
    case 2: throw .cancelled
    default: throw .decodeFailed(code: code)
    }
  }

  private func fill(_ tokens: ArraySlice<Token>, sequence: Int32, wantsLogits: Bool) {
    let start = self.tokens(in: sequence).count
    for (index, token) in tokens.enumerated() {
      batch.token[index] = token
      batch.pos[index] = Int32(start + index)
      batch.n_seq_id[index] = 1
      batch.seq_id[index]?[0] = sequence
      batch.logits[index] = wantsLogits && index == tokens.count - 1 ? 1 : 0
    }
  }

  /// An aborted batch leaves the micro-batches that were done: the memory knows which.
  private func keepComputedPart(
    of tokens: ArraySlice<Token>,
    in sequence: Int32
  ) throws(LlamaError) {
    guard model.facts.canRewind else {
      try clear(sequence)
      return
    }
    let count = Int(llama_memory_seq_pos_max(memory, sequence)) + 1
    note(Array((self.tokens(in: sequence) + tokens).prefix(count)), in: sequence)
  }
}
