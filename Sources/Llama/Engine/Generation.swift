/// Runs requests on a context, one after the other.
package struct Generation {
  package let context: LlamaContext

  /// Where prefixes are kept for other processes; `nil` for nowhere.
  package var snapshots: SnapshotStore?

  package init(context: LlamaContext, snapshots: SnapshotStore? = nil) {
    self.context = context
    self.snapshots = snapshots
  }

  /// Returns the prompt that the model is given for a request.
  package func prompt(of request: GenerationRequest) throws(LlamaError) -> String {
    try AnswerForm(request, templates: context.model.templates).rendering.prompt
  }

  /// Returns the number of tokens in a request's prompt.
  package func tokenCount(of request: GenerationRequest) throws(LlamaError) -> Int {
    try PromptInput(
      try prompt(of: request),
      images: request.images,
      model: context.model,
      projector: context.projector
    ).tokens.count
  }

  /// Makes the context hold what every request with these instructions and tools begins with.
  ///
  /// Whatever prefix comes after it is kept for no other process, even where this one was too short
  /// for that.
  ///
  /// - Returns: The number of tokens, and whether another process had computed them.
  package func prepare(
    _ request: GenerationRequest,
    cancel: CancelFlag? = nil
  ) throws(LlamaError) -> (count: Int, isRestored: Bool) {
    let head = try request.headTokens(model: context.model)
    var isRestored = false
    if !head.isEmpty {
      let place = try context.allocateSequence(for: head, segments: request.segments)
      isRestored = try context.loadPrefix(head, in: place.sequence, from: snapshots, cancel: cancel)
    }
    context.keepsNextPrefix = false
    return (head.count, isRestored)
  }

  /// Answers a request.
  ///
  /// Where the answer must meet a schema and tools may be called, the model is first asked for
  /// calls only, because under the schema's grammar no call could come. Whatever it writes then
  /// instead of a call is dropped.
  ///
  /// `onUpdate` receives the whole answer so far, whenever it has grown. The prompt and the answer
  /// stay in the context for the next request to continue from.
  ///
  /// - Throws: ``LlamaError``. Cancellation is not an error: it finishes the answer early.
  package func run(
    _ request: GenerationRequest,
    cancel: CancelFlag = CancelFlag(),
    onUpdate: (GeneratedMessage) -> Void = { _ in }
  ) throws(LlamaError) -> GenerationResult {
    let request = request.hidingToolsThatCannotBeWithheld(context.model)
    guard let asking = request.forCallsAlone else {
      return try answer(request, cancel, onUpdate)
    }
    let first = try answer(asking, cancel) { message in
      var thought = message
      if message.calls.isEmpty { thought.content = "" }
      onUpdate(thought)
    }
    guard first.finish != .cancelled, first.message.calls.isEmpty else { return first }
    var rest = request
    if let bound = request.maximumTokens {
      // The limit covers what was thought before, and the answer. What was written in place of a
      // call is dropped and not charged, or little might be left for the answer. Where that first
      // part meets the limit by itself, nothing follows.
      let isMet = first.usage.output >= bound
      let left = bound - (isMet ? first.usage.output : first.usage.reasoning)
      guard left > 0 else {
        var thought = first.message
        thought.content = ""
        return GenerationResult(message: thought, finish: .length, usage: first.usage)
      }
      rest.maximumTokens = left
    }
    let second = try answer(rest, cancel) { onUpdate($0.after(first.message)) }
    return GenerationResult(
      message: second.message.after(first.message),
      finish: second.finish,
      usage: second.usage.after(first.usage)
    )
  }

  private func answer(
    _ request: GenerationRequest,
    _ cancel: CancelFlag,
    _ onUpdate: (GeneratedMessage) -> Void
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

extension GenerationRequest {
  /// Hides tools that cannot be withheld while shown.
  ///
  /// That is possible only where a call begins with a token of its own, which can be banned; text
  /// that spells a call would end the answer instead.
  fileprivate func hidingToolsThatCannotBeWithheld(_ model: LlamaModel) -> GenerationRequest {
    guard toolMode == .withheld else { return self }
    if let syntax = try? model.templates.toolSyntax(),
      AnswerForm.beginsCallsByToken(syntax, model)
    {
      return self
    }
    var request = self
    request.toolMode = .disallowed
    request.tools = nil
    request.segments.parts.removeAll { $0.kind == .tools }
    return request
  }

  /// In bytes, and more than models write before they call.
  private static let textBeforeCalls = 400

  /// The same request for calls only; `nil` where it can be answered at once.
  fileprivate var forCallsAlone: GenerationRequest? {
    guard schema != nil, toolMode == .allowed, hasTools else { return nil }
    var asking = self
    asking.schema = nil
    asking.bounds.textBeforeCalls = Self.textBeforeCalls
    return asking
  }
}

extension GeneratedMessage {
  /// Returns this message with the earlier reasoning, unless it has its own.
  fileprivate func after(_ first: GeneratedMessage) -> GeneratedMessage {
    var message = self
    if reasoning.isEmpty { message.reasoning = first.reasoning }
    return message
  }
}

extension GenerationUsage {
  /// Returns the sum of both, where the first was for the same prompt.
  fileprivate func after(_ first: GenerationUsage) -> GenerationUsage {
    var sum = first
    sum.computed += computed
    sum.output += output
    sum.reasoning += reasoning
    sum.secondsToFirstToken = secondsToFirstToken.map {
      first.prefillSeconds + first.decodeSeconds + $0
    }
    sum.prefillSeconds += prefillSeconds
    sum.decodeSeconds += decodeSeconds
    return sum
  }
}
