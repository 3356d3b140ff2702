import Libllama

extension LlamaContext {
  /// Computes a chunk of an image and appends it to a sequence.
  ///
  /// After an error the sequence holds what it held before.
  func decode(
    _ placed: PromptInput.PlacedChunk,
    names: ArraySlice<Token>,
    sequence: Int32,
    cancel: CancelFlag?
  ) throws(LlamaError) {
    guard let projector else { throw .imageRefused(reason: "the model has no projector") }
    // Beyond this llama.cpp ends the process.
    guard !projector.seesAllAtOnce || placed.span.count <= batchSize else {
      throw .imageRefused(
        reason: "it takes \(placed.span.count) tokens, and at most \(batchSize) can be computed at"
          + " once"
      )
    }
    if let cancel, cancel.isSet { throw .cancelled }
    try projector.encode(placed.image, chunk: placed.chunk, cancel: cancel)
    if let cancel, cancel.isSet { throw .cancelled }
    let held = tokens(in: sequence).count
    let position = Int(position(of: held, in: sequence))
    // With several cores, some may be called back midway, and an image is a single step; so one
    // thread, like the projector's own computation.
    use(threads: 1)
    let watch = StepWatch(threads: 1, cancel: cancel, mayEnd: false)
    let code = try watch.watching(pointer) { () throws(LlamaError) in
      try projector.decode(
        placed.image,
        chunk: placed.chunk,
        into: pointer,
        at: position,
        of: sequence,
        batchSize: batchSize
      )
    }
    guard code != 0 else {
      return noteAppended(names, image: placed.span, to: sequence)
    }
    try forget(after: held, in: sequence)
    throw fault(code, adding: placed.span.count)
  }

  private func forget(after count: Int, in sequence: Int32) throws(LlamaError) {
    let end = position(of: count, in: sequence)
    if !model.facts.canRewind || !llama_memory_seq_rm(memory, sequence, end, -1) {
      try clear(sequence)
    }
  }
}

extension Array {
  subscript(span: ImageSpan) -> ArraySlice<Element> { self[span.start..<span.end] }
}
