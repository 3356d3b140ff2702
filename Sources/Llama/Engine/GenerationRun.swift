/// One request on its way from a prompt to a result.
struct GenerationRun {
  private let context: LlamaContext
  private let request: GenerationRequest
  private let cancel: CancelFlag
  private let plan: GenerationPlan
  private let snapshots: SnapshotStore?
  private var sequence: Int32 = 0
  private var answer: Answer
  private var repetition = RepetitionDetector()
  private var usage = GenerationUsage()
  private var clock = Stopwatch()

  init(
    _ request: GenerationRequest,
    on context: LlamaContext,
    snapshots: SnapshotStore?,
    cancel: CancelFlag
  ) throws(LlamaError) {
    self.context = context
    self.request = request
    self.cancel = cancel
    self.snapshots = snapshots
    plan = try GenerationPlan(request, context)
    answer = Answer(
      plan,
      allowsParallelCalls: request.allowsParallelCalls,
      stops: request.bounds.stops
    )
    // The last place belongs to the first token of the answer.
    let count = plan.input.tokens.count
    guard count < context.contextSize else {
      throw context.excess(of: count, in: request)
    }
  }

  /// Gives the model its prompt.
  ///
  /// - Returns: `false` when cancelled.
  mutating func prefill() throws(LlamaError) -> Bool {
    usage.input = plan.input.tokens.count
    clock.lap()
    defer { usage.prefillSeconds = clock.lap() }
    let place = try context.allocateSequence(for: plan.input.tokens, segments: request.segments)
    sequence = place.sequence
    usage.cached = place.cached
    usage.cacheBreak = place.cacheBreak
    do {
      if !place.knowsHead { try prefillHead() }
      // The same seed is to give the same answer whatever was cached.
      if request.sampling.seed != nil {
        let tokens = plan.input.tokens
        usage.cached = min(
          usage.cached,
          try context.forgetInexact(of: tokens, in: sequence)
        )
      }
      try withRoom { () throws(LlamaError) in
        try context.prefill(plan.input, sequence: sequence, cancel: cancel)
      }
      usage.computed = usage.input - usage.cached
      LastPrompt.note(plan.input, cached: usage.cached, of: context.model)
      return true
    } catch .cancelled {
      usage.computed = max(0, held - usage.cached)
      return false
    }
  }

  /// Restores what every request with these instructions and tools begins with, or computes it
  /// separately, which is the same in every process, so that their answers are the same too.
  private mutating func prefillHead() throws(LlamaError) {
    guard let head = try? request.headTokens(model: context.model) else { return }
    // Its last tokens may differ when the prompt's own text continues from them. Where a template
    // begins this prompt in another way, most of it would be dropped again.
    let input = plan.input.tokens
    let shared = zip(head, input).prefix { $0 == $1 }.count
    guard shared > held, shared * 2 >= head.count, input.count > head.count else { return }
    try withRoom { () throws(LlamaError) in
      let isRestored = try context.loadPrefix(head, in: sequence, from: snapshots, cancel: cancel)
      // Where layers attend only to a short window, less may be reusable than is shared.
      if isRestored { usage.cached = context.reusableCount(of: input, in: sequence) }
    }
  }

  /// Forgets other conversations until there is room for this one.
  private func withRoom(_ body: () throws(LlamaError) -> Void) throws(LlamaError) {
    while true {
      do throws(LlamaError) {
        return try body()
      } catch {
        guard case .contextSizeExceeded = error, try context.makeRoom(besides: sequence) else {
          throw error
        }
      }
    }
  }

  /// Lets the model answer until it ends or something ends it.
  mutating func decode(
    _ onUpdate: (GeneratedMessage) -> Void
  ) throws(LlamaError) -> GenerationResult.Finish {
    defer { usage.decodeSeconds = clock.lap() }
    while !cancel.isSet {
      let token = try plan.sampler.sample(from: context)
      usage.secondsToFirstToken = usage.secondsToFirstToken ?? clock.total
      if context.model.isEnd(token) { return .stop }
      try take(token)
      if answer.update() { onUpdate(answer.message) }
      if answer.isOver { return .stop }
      if let end = boundMet { return end }
      let count = held
      do {
        try withRoom { () throws(LlamaError) in
          // In a context that lost what it held, the answer would continue from nothing.
          guard held == count else { throw LlamaError.decodeFailed(code: 1) }
          try context.append([token], to: sequence, cancel: cancel)
        }
      } catch .cancelled {
        return .cancelled
      }
    }
    return .cancelled
  }

  func result(_ finish: GenerationResult.Finish) throws(LlamaError) -> GenerationResult {
    let (message, isCallCut) = try answer.finished(finish) {
      context.renderingWithoutCalls(of: request)
    }
    // A part that merely fit into the window is neither an answer nor a call.
    if finish == .windowFilled, message.calls.isEmpty,
      isCallCut || request.toolMode == .required || request.schema != nil
    {
      throw .windowFilled(contextSize: context.contextSize, promptCount: usage.input)
    }
    if request.toolMode == .required, finish == .stop, message.calls.isEmpty {
      throw .requiredCallMissing(text: answer.text)
    }
    var usage = usage
    usage.reasoning = min(usage.output, context.model.tokenCount(of: message.reasoning))
    return GenerationResult(message: message, finish: finish, usage: usage)
  }

  private var held: Int { context.tokens(in: sequence).count }

  private var boundMet: GenerationResult.Finish? {
    if repetition.isEndless { return .repetition }
    if let limit = limitMet { return repetition.wasRepeatingAtLimit ? .repetition : limit }
    return isNoCall ? .length : nil
  }

  private var limitMet: GenerationResult.Finish? {
    if let maximum = request.maximumTokens, usage.output >= maximum { return .length }
    return held >= context.contextSize ? .windowFilled : nil
  }

  /// Whether only a call was wanted and there is so much text that none will come.
  private var isNoCall: Bool {
    guard let limit = request.bounds.textBeforeCalls else { return false }
    return answer.message.calls.isEmpty && answer.message.content.utf8.count > limit
  }

  private mutating func take(_ token: Token) throws(LlamaError) {
    try plan.sampler.accept(token)
    usage.output += 1
    repetition.append(token)
    answer.append(context.model.piece(of: token, showingControl: plan.shown.contains(token)))
  }
}

extension LlamaContext {
  /// Returns the error for a request of so many tokens that they do not fit.
  ///
  /// It says whether less history would help.
  fileprivate func excess(of count: Int, in request: GenerationRequest) -> LlamaError {
    let needed =
      switch request.withoutHistory {
      case nil: count
      case let rest?: (try? Generation(context: self).tokenCount(of: rest)) ?? 0
      }
    return needed < contextSize
      ? .contextSizeExceeded(contextSize: contextSize, tokenCount: count)
      : .promptTooLarge(contextSize: contextSize, tokenCount: count)
  }

  /// Returns the rendering for an answer that begins like a call but is none.
  ///
  /// - Returns: `nil` where calls begin with a text of their own, where one is required, and where
  ///   the template refuses the conversation without tools: an answer that can be read with them
  ///   must not fail for that.
  func renderingWithoutCalls(of request: GenerationRequest) -> ChatRendering? {
    let templates = model.templates
    guard request.toolMode == .allowed, let syntax = try? templates.toolSyntax(),
      syntax.openers.isEmpty
    else { return nil }
    return try? templates.render(request.rendering(showingTools: false), of: request)
  }
}

/// Measures the whole run and its parts.
private struct Stopwatch {
  private let start = ContinuousClock.now
  private var last = ContinuousClock.now

  var total: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Returns the seconds since the last lap.
  @discardableResult
  mutating func lap() -> Double {
    let now = ContinuousClock.now
    defer { last = now }
    return (now - last) / .seconds(1)
  }
}
