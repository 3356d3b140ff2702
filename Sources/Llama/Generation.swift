/// Runs requests on a context, one after the other.
package struct Generation {
  package let context: LlamaContext

  package init(context: LlamaContext) {
    self.context = context
  }

  /// How many tokens a request's prompt is.
  package func tokenCount(of request: GenerationRequest) throws(LlamaError) -> Int {
    let form = try AnswerForm(request, templates: context.model.templates)
    return context.model.promptTokens(of: form.rendering.prompt).count
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
    var run = try GenerationRun(request, on: context, cancel: cancel)
    guard try run.prefill() else {
      return try run.result(.cancelled)
    }
    let finish = try run.decode(onUpdate)
    let result = try run.result(finish)
    onUpdate(result.message)
    return result
  }
}
