/// Runs requests on a context, one after the other.
package struct Generation {
  package let context: LlamaContext

  /// Where prefixes are kept for other processes; `nil` for nowhere.
  package var snapshots: SnapshotStore?

  package init(context: LlamaContext, snapshots: SnapshotStore? = nil) {
    self.context = context
    self.snapshots = snapshots
  }

  /// What the model is given for a request.
  package func prompt(of request: GenerationRequest) throws(LlamaError) -> String {
    try AnswerForm(request, templates: context.model.templates).rendering.prompt
  }

  /// How many tokens a request's prompt is.
  package func tokenCount(of request: GenerationRequest) throws(LlamaError) -> Int {
    try PromptInput(
      try prompt(of: request),
      images: request.images,
      model: context.model,
      projector: context.projector
    ).tokens.count
  }

  /// Makes the context hold what every request with these instructions and tools begins with.
  /// - Returns: How many tokens that is, and whether another process had computed them.
  package func prepare(
    _ request: GenerationRequest,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> (count: Int, isRestored: Bool) {
    let head = try request.headTokens(model: context.model)
    guard !head.isEmpty else { return (0, false) }
    let place = try context.place(head, outline: request.outline)
    let isRestored = try context.hold(head, in: place.sequence, from: snapshots, cancel: cancel)
    return (head.count, isRestored)
  }

  /// Answers a request.
  ///
  /// `onUpdate` is given the whole answer as far as it is known, whenever it has grown. The prompt
  /// and the answer stay in the context, for the next request to go on from.
  ///
  /// - Throws: ``LlamaError``. Cancellation is not an error: it finishes the answer early.
  package func run(
    _ request: GenerationRequest,
    cancel: CancelFlag = CancelFlag(),
    onUpdate: (GeneratedMessage) -> Void = { _ in }
  ) throws(LlamaError) -> GenerationResult {
    var run = try GenerationRun(request, on: context, snapshots: snapshots, cancel: cancel)
    guard try run.prefill() else {
      return try run.result(.cancelled)
    }
    let finish = try run.decode(onUpdate)
    let result = try run.result(finish)
    onUpdate(result.message)
    return result
  }
}
