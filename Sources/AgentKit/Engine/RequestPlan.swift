/// A fully decided request to the model: who answers, with which tools, and how.
struct RequestPlan {
  let model: any LanguageModel
  let admission: RoundAdmission
  let mode: GenerationOptions.ToolCallingMode.Kind
  let tools: [Transcript.ToolDefinition]
  /// The tools that could be called until a cap was reached.
  var withheldTools: [Transcript.ToolDefinition] = []
  let schema: GenerationSchema?
  let options: GenerationOptions
  let contextOptions: ContextOptions
  /// Whether the model is to answer without reasoning, whatever the level.
  var skipsReasoning = false
  /// What the sender of the prompt asks of the turn.
  var asked: TurnOptions?
  let metadata: [String: GeneratedContent]
  let transcript: Transcript

  var limits: AnswerLimits { AnswerLimits(mode: mode, tokens: options.maximumResponseTokens) }
}

/// The limits that applied to a model in one request.
struct AnswerLimits {
  let mode: GenerationOptions.ToolCallingMode.Kind
  /// The maximum number of tokens that it could generate.
  let tokens: Int?

  /// Returns the agent's own limit, if it left no room for a required call or for any text.
  func bound(leftEmpty generated: GenerationCollector) -> String? {
    guard let tokens, generated.usage.output.totalTokenCount >= tokens else { return nil }
    let isBlank = generated.answerText?.allSatisfy(\.isWhitespace) ?? true
    return mode == .required || isBlank ? "maximumResponseTokens" : nil
  }
}

extension LanguageModelSession {
  /// Merges call site, profile and the host's decision, field by field.
  ///
  /// It refuses what the model cannot do before the model is asked.
  nonisolated(nonsending) func plan(
    _ resolved: ResolvedProfile,
    prompt: Transcript.Prompt?,
    host: some TurnHost
  ) async throws -> RequestPlan {
    var options = (prompt?.options ?? GenerationOptions()).filled(from: resolved.options)
    var context = prompt?.contextOptions ?? ContextOptions()
    context.reasoningLevel = reasoningLevel(of: prompt, resolved, host: host)
    var mode = options.toolCallingMode?.kind ?? .allowed
    let current = recordedTranscript
    let definitions = current.leadingInstructions?.toolDefinitions ?? []
    let model = resolved.model ?? SystemLanguageModel.default
    let needs = RequestNeeds(
      mode: mode,
      tools: definitions,
      schema: prompt?.schema,
      reasoningLevel: context.reasoningLevel
    )
    // If there is no model, the caller learns that rather than which capabilities are missing.
    let isMissing = model is SystemLanguageModel && SystemLanguageModel.model == nil
    if !isMissing { try needs.check(model.capabilities) }

    let admission = try await host.admitRequest()
    var withheld: [Transcript.ToolDefinition] = []
    // The agent's own context has them, and what was computed of it stays usable.
    if mode == .disallowed, resolved.options.toolCallingMode?.kind != .disallowed,
      host.options?.generation?.toolCallingMode?.kind == .disallowed
    {
      withheld = definitions
    }
    // Without tools there is nothing to withhold, and text that spells a call is text.
    if case .lastAnswer = admission, mode != .disallowed, !definitions.isEmpty {
      (mode, withheld) = (.disallowed, definitions)
    }
    if let granted = admission.maximumTokens {
      options.maximumResponseTokens = min(options.maximumResponseTokens ?? granted, granted)
    }
    options.toolCallingMode = .init(kind: mode)
    var shown = current
    if !resolved.transforms.isEmpty {
      var entries = Array(current)
      for transform in resolved.transforms { entries = try await transform(entries, model) }
      shown = Transcript(entries: entries)
    }
    if let instructions = host.options?.instructionsEntry {
      shown.insert(instructions, at: shown.leading.endIndex)
    }
    let images = entriesWithImages(shown, isTranscript: resolved.transforms.isEmpty)
    if !isMissing { try ImageNeeds(entries: images).check(model) }
    if case .lastAnswer(let cap, _) = admission { shown.tell(ofCap: cap) }
    return RequestPlan(
      model: model,
      admission: admission,
      mode: mode,
      tools: mode == .disallowed ? [] : definitions,
      withheldTools: withheld,
      schema: prompt?.schema,
      options: options,
      contextOptions: context,
      skipsReasoning: host.options?.skipsReasoning ?? false,
      asked: host.options,
      metadata: prompt?.metadata ?? [:],
      transcript: shown
    )
  }

  /// Returns the level of reasoning for a request.
  ///
  /// The level that the sender of a prompt asks for is for the agents that can reason.
  func reasoningLevel(
    of prompt: Transcript.Prompt?,
    _ resolved: ResolvedProfile,
    host: some TurnHost
  ) -> ContextOptions.ReasoningLevel? {
    let model = resolved.model ?? SystemLanguageModel.default
    guard let asked = prompt?.contextOptions.reasoningLevel,
      host.options == nil || model.capabilities.contains(.reasoning)
    else { return resolved.reasoningLevel }
    return asked
  }

  /// Asks the model once, and collects what it generates.
  nonisolated(nonsending) func generate(
    _ plan: RequestPlan,
    turn: TurnProgress,
    host: some TurnHost
  ) async throws -> GenerationCollector {
    var request = LanguageModelExecutorGenerationRequest(
      id: newUUID(),
      transcript: plan.transcript,
      enabledTools: plan.tools,
      schema: plan.schema,
      generationOptions: plan.options,
      contextOptions: plan.contextOptions,
      metadata: plan.metadata
    )
    request.withheldToolDefinitions = plan.withheldTools
    request.skipsReasoning = plan.skipsReasoning
    request.stop = plan.schema == nil ? plan.asked?.stop ?? [] : []
    request.seed = plan.asked?.seed
    let channel = LanguageModelExecutorGenerationChannel()
    let (model, executors) = (plan.model, executors)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [request] in
        defer { channel.finish() }
        // An executor itself reports its usage, including that of sessions that it runs.
        try await ToolCallContext.$tally.withValue(nil) {
          try await executors.respond(to: request, model: model, streamingInto: channel)
        }
      }
      var collector = GenerationCollector(schema: plan.schema)
      for await event in channel {
        guard let change = collector.take(event) else { continue }
        grow(collector.entries)
        turn.show(collector)
        await host.show(change)
      }
      try await group.waitForAll()
      // A cancelled task stops reading midway even if the model runs to its end.
      try Task.checkCancellation()
      return collector
    }
  }
}

extension Transcript {
  /// Tells the model, in the last entry that it reads, why it no longer has tools.
  ///
  /// The note is not an entry of its own, because every chat template accepts a longer prompt or
  /// output. The transcript records the cap as the turn's exit.
  fileprivate mutating func tell(ofCap cap: String) {
    let note = Transcript.Segment.text(
      .init(
        id: "cap",
        content: "[The cap on \(cap) is reached. No tool can be called any more: answer now, with"
          + " what you have.]"
      )
    )
    switch last {
    case .prompt(var prompt):
      prompt.segments.append(note)
      self[endIndex - 1] = .prompt(prompt)
    case .toolOutput(var output):
      output.segments.append(note)
      self[endIndex - 1] = .toolOutput(output)
    case .instructions, .toolCalls, .response, .reasoning, nil: break
    }
  }
}
