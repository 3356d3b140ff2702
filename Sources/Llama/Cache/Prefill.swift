import Libllama

/// How much of a prompt had to be computed.
package struct PrefillUsage: Sendable, Equatable {
  /// Tokens that the sequence already held.
  package let cached: Int
  package let computed: Int

  package init(cached: Int, computed: Int) {
    self.cached = cached
    self.computed = computed
  }
}

extension LlamaContext {
  /// Makes a sequence hold exactly `tokens`, computing only what follows the longest prefix they
  /// share with what it holds.
  ///
  /// The last token is always computed, because sampling needs its logits. After an error the
  /// sequence holds what was computed until then and stays usable.
  @discardableResult
  package func prefill(
    _ tokens: [Token],
    sequence: Int32 = 0,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> PrefillUsage {
    try prefill(PromptInput(tokens), sequence: sequence, cancel: cancel)
  }

  /// Makes a sequence hold exactly the given tokens and images.
  @discardableResult
  func prefill(
    _ input: PromptInput,
    sequence: Int32 = 0,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> PrefillUsage {
    let tokens = input.tokens
    try check(sequence)
    guard !tokens.isEmpty else { throw .emptyPrompt }
    guard tokens.count <= contextSize else {
      throw .contextSizeExceeded(contextSize: contextSize, tokenCount: tokens.count)
    }
    let cached = try rewind(sequence, to: reusableCount(of: tokens, in: sequence))
    var rest = tokens[cached...]
    let meter = WorkMeter(.prefill, from: cached, of: tokens.count)
    defer { meter.end() }
    for chunk in input.chunks where chunk.span.start >= cached {
      try decodeAll(rest[..<chunk.span.start], sequence, isLast: false, cancel, meter)
      try decode(chunk, names: tokens[chunk.span], sequence: sequence, cancel: cancel)
      rest = tokens[chunk.span.end...]
    }
    try decodeAll(rest, sequence, isLast: true, cancel, meter)
    // The answer is computed token by token, which uses a small part of the buffer.
    computeBuffer.giveBack()
    return PrefillUsage(cached: cached, computed: tokens.count - cached)
  }

  private func decodeAll(
    _ tokens: ArraySlice<Token>,
    _ sequence: Int32,
    isLast: Bool,
    _ cancel: CancelFlag?,
    _ meter: WorkMeter
  ) throws(LlamaError) {
    var rest = tokens
    while !rest.isEmpty {
      let size = min(batchSize, Self.stepSize)
      // A single token at the end would be rounded differently.
      let chunk = rest.prefix(rest.count == size + 1 ? max(1, size - 1) : size)
      rest = rest.dropFirst(chunk.count)
      try decode(chunk, sequence: sequence, wantsLogits: isLast && rest.isEmpty, cancel: cancel)
      meter.reach(chunk.endIndex)
    }
  }

  /// Appends tokens to a sequence; on cancellation it holds what it held before.
  func append(_ tokens: [Token], to sequence: Int32, cancel: CancelFlag?) throws(LlamaError) {
    try decode(tokens[...], sequence: sequence, wantsLogits: true, cancel: cancel)
  }

  /// Returns how many tokens of a prompt need not be computed again.
  func reusableCount(of tokens: [Token], in sequence: Int32) -> Int {
    let held = self.tokens(in: sequence)
    let common = min(
      zip(held, tokens).prefix { $0 == $1 }.count,
      max(0, tokens.count - 1)
    )
    // An image is reusable only as a whole.
    let rewound = model.facts.canRewind ? wholeCount(common, in: sequence) : 0
    let count = common == held.count ? common : rewound
    return holdsWindow(before: count, in: sequence) ? count : 0
  }

  /// Forgets what a prompt would not be continued from in the same way by every process: tokens
  /// that were computed one at a time, as those of an answer are, and the last token but one, so
  /// that the last is not computed by itself.
  ///
  /// - Returns: The number of the prompt's tokens that the sequence still holds.
  func forgetInexact(of tokens: [Token], in sequence: Int32) throws(LlamaError) -> Int {
    let reusable = reusableCount(of: tokens, in: sequence)
    let count = min(reusable, togetherCount(in: sequence), max(0, tokens.count - 2))
    _ = try rewind(sequence, to: wholeCount(count, in: sequence))
    // A token before the end may need cells that a sliding window has released.
    return reusableCount(of: tokens, in: sequence)
  }

  /// Returns whether a sequence still has everything that a token at this place attends to.
  ///
  /// Layers with a sliding window release cells beyond it to other sequences; a token at an earlier
  /// place would attend to those cells again.
  private func holdsWindow(before count: Int, in sequence: Int32) -> Bool {
    guard count > 0, model.facts.slidingWindow > 0 else { return true }
    let first = llama_memory_seq_pos_min(memory, sequence)
    // A token's window includes the token itself.
    let needed = max(0, position(of: count, in: sequence) - Int32(model.facts.slidingWindow) + 1)
    return first >= 0 && first <= needed
  }

  /// Forgets what a sequence holds after `count` tokens, or all of it where that is refused.
  ///
  /// - Returns: The number of tokens that it still holds.
  func rewind(_ sequence: Int32, to count: Int) throws(LlamaError) -> Int {
    let held = tokens(in: sequence)
    guard count < held.count else { return count }
    let end = position(of: count, in: sequence)
    if count > 0, llama_memory_seq_rm(memory, sequence, end, -1) {
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
    // llama.cpp undoes an aborted batch where a model can rewind. A batch that found no room wrote
    // nothing.
    if code != 1, !model.facts.canRewind { try clear(sequence) }
    throw fault(code, adding: tokens.count)
  }

  /// Returns the error for a code of `llama_decode` that was to add this many tokens.
  func fault(_ code: Int32, adding count: Int) -> LlamaError {
    switch code {
    case 1:
      let held = (0..<sequenceCount).reduce(0) { $0 + tokens(in: Int32($1)).count }
      return .contextSizeExceeded(contextSize: contextSize, tokenCount: held + count)
    case 2: return .cancelled
    default: return .decodeFailed(code: code)
    }
  }

  private func fill(_ tokens: ArraySlice<Token>, sequence: Int32, wantsLogits: Bool) {
    let start = position(of: self.tokens(in: sequence).count, in: sequence)
    for (index, token) in tokens.enumerated() {
      batch.token[index] = token
      batch.pos[index] = start + Int32(index)
      batch.n_seq_id[index] = 1
      batch.seq_id[index]?[0] = sequence
      batch.logits[index] = wantsLogits && index == tokens.count - 1 ? 1 : 0
    }
  }
}
