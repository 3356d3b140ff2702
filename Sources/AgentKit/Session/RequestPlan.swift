/// One request to the model, decided: who answers, with which tools, how.
struct RequestPlan {
  let model: any LanguageModel
  let mode: GenerationOptions.ToolCallingMode.Kind
  let tools: [Transcript.ToolDefinition]
  let options: GenerationOptions
  let contextOptions: ContextOptions
  let transcript: Transcript
}

extension LanguageModelSession {
  /// Merges call site, profile and the host's decision, field by field, and refuses what the model
  /// cannot do before it is asked.
  nonisolated(nonsending) func plan(
    _ resolved: ResolvedProfile,
    prompt: Transcript.Prompt?,
    schema: GenerationSchema?,
    round: Int,
    host: some TurnHost
  ) async throws -> RequestPlan {
    var options = (prompt?.options ?? GenerationOptions()).filled(from: resolved.options)
    var mode = options.toolCallingMode?.kind ?? .allowed
    var definitions: [Transcript.ToolDefinition] = []
    let current = transcript
    if case .instructions(let entry) = current.first { definitions = entry.toolDefinitions }
    let model = resolved.model ?? SystemLanguageModel.default
    var context = prompt?.contextOptions ?? ContextOptions()
    context.reasoningLevel = context.reasoningLevel ?? resolved.reasoningLevel
    try check(model, mode: mode, tools: definitions, schema: schema)
    try check(model, context)

    let admission = try await host.admit(round: round, mode: mode)
    if case .lastAnswer = admission { mode = .disallowed }
    if let granted = admission.maximumTokens {
      options.maximumResponseTokens = min(options.maximumResponseTokens ?? granted, granted)
    }
    options.toolCallingMode = .init(kind: mode)
    let entries = resolved.transforms.reduce(current.entries) { entries, transform in
      transform(entries)
    }
    return RequestPlan(
      model: model,
      mode: mode,
      tools: definitions,
      options: options,
      contextOptions: context,
      transcript: Transcript(entries: entries)
    )
  }

  private func check(_ model: any LanguageModel, _ context: ContextOptions) throws {
    guard let level = context.reasoningLevel, !model.capabilities.contains(.reasoning) else {
      return
    }
    throw LanguageModelError.unsupportedCapability(
      .init(
        capability: .reasoning,
        debugDescription: "The model cannot think before it answers, but a reasoning level is set:"
          + " \(level). Set none for this model."
      )
    )
  }

  private func check(
    _ model: any LanguageModel,
    mode: GenerationOptions.ToolCallingMode.Kind,
    tools: [Transcript.ToolDefinition],
    schema: GenerationSchema?
  ) throws {
    if let schema, !model.capabilities.contains(.guidedGeneration) {
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .guidedGeneration,
          debugDescription: "The model cannot follow a schema, but the answer must: \(schema.name)."
        )
      )
    }
    if mode == .required, tools.isEmpty {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(debugDescription: "Tool calls are required, but the profile has no tools.")
      )
    }
    if mode != .disallowed, !tools.isEmpty, !model.capabilities.contains(.toolCalling) {
      let names = tools.map(\.name).joined(separator: ", ")
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .toolCalling,
          debugDescription: "The model cannot call tools, but the profile has: \(names)."
        )
      )
    }
  }

  /// Asks the model once, and collects what it generates.
  nonisolated(nonsending) func generate(
    _ plan: RequestPlan,
    schema: GenerationSchema?,
    host: some TurnHost
  ) async throws -> GenerationCollector {
    let request = LanguageModelExecutorGenerationRequest(
      transcript: plan.transcript,
      enabledTools: plan.mode == .disallowed ? [] : plan.tools,
      schema: schema,
      generationOptions: plan.options,
      contextOptions: plan.contextOptions
    )
    let channel = LanguageModelExecutorGenerationChannel()
    let (model, executors) = (plan.model, executors)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { channel.finish() }
        try await executors.respond(to: request, model: model, streamingInto: channel)
      }
      var collector = GenerationCollector()
      for await event in channel {
        if let snapshot = collector.take(event) { await host.show(snapshot) }
      }
      try await group.waitForAll()
      // A cancelled task stops reading in the middle, also when the model goes on to its end.
      try Task.checkCancellation()
      return collector
    }
  }
}
