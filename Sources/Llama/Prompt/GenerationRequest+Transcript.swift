package import AgentKit

extension GenerationRequest {
  /// Creates the request in the form that llama.cpp's chat templates take.
  ///
  /// The output depends on nothing but the request, so that equal transcripts give equal prompts in
  /// every process.
  ///
  /// - Parameter nativeToolsOnly: Whether tools are refused where the model's chat template
  ///   supports none.
  package init(
    _ request: LanguageModelExecutorGenerationRequest,
    nativeToolsOnly: Bool = false
  ) {
    let images = PromptImages(of: request.transcript)
    let messages = ChatMessages(
      request.transcript,
      images: .mark(images?.mark ?? "")
    ).messages
    let texts = messages.map(\.content.jsonString)
    self.init(ChatHistory(messages.map(\.content), texts: texts))
    self.nativeToolsOnly = nativeToolsOnly
    self.images = images
    segments.parts = zip(messages, texts).map { message, text in
      .init(.init(message.entry), text, images: message.images.compactMap(\.data))
    }
    let withheld = request.withheldToolDefinitions
    let definitions = request.enabledToolDefinitions + withheld
    if !definitions.isEmpty {
      let tools = GeneratedContent(kind: .array(definitions.map(\.chatTool))).jsonString
      self.tools = tools
      segments.parts.insert(.init(.tools, tools), at: 0)
    }
    let holdsCalls = segments.parts.contains { $0.kind == .toolCalls || $0.kind == .toolOutput }
    switch request.generationOptions.toolCallingMode?.kind ?? .allowed {
    case .allowed where !definitions.isEmpty: toolMode = .allowed
    // A model imitates the calls that it reads, although nothing would answer them.
    case .allowed: toolMode = holdsCalls ? .disallowed : .noTools
    case .required: toolMode = .required
    case .disallowed: toolMode = withheld.isEmpty ? .disallowed : .withheld
    }
    sampling = SamplingOptions(request.generationOptions)
    if let seed = request.seed { sampling.seed = UInt32(truncatingIfNeeded: seed) }
    bounds.stops = request.stop
    maximumTokens = request.generationOptions.maximumResponseTokens
    thinking = request.contextOptions.reasoningLevel.map(ReasoningBudget.init)
    skipsThinking = request.skipsReasoning
    schema = request.schema?.jsonSchema.jsonString
    grammarSchemas = GrammarSchemas(request)
  }
}

extension GrammarSchemas {
  fileprivate init?(_ request: LanguageModelExecutorGenerationRequest) {
    let definitions = request.enabledToolDefinitions
    // Some templates render each argument separately, by its own schema: those stay unchanged and
    // follow the order in the grammar.
    let schemas = definitions.enumerated().map { number, definition in
      definition.parameters.grammarSchema(
        keepsOrder: false,
        number: definitions.count > 1 ? number : nil
      )
    }
    let described = zip(definitions, schemas).map { definition, schema in
      definition.chatTool { schema ?? $0.jsonSchema }
    }
    let differs = schemas.contains { $0 != nil }
    tools = differs ? GeneratedContent(kind: .array(described)).jsonString : nil
    schema = request.schema?.grammarSchema(keepsOrder: true)?.jsonString
    if tools == nil, schema == nil { return nil }
  }
}

extension SamplingOptions {
  fileprivate init(_ options: GenerationOptions) {
    self.init()
    switch options.samplingMode?.kind {
    case .greedy: isGreedy = true
    case .randomTopK(let k, let seed):
      topK = Int32(clamping: k)
      topP = 1
      minP = 0
      self.seed = seed.map { UInt32(truncatingIfNeeded: $0) }
    case .randomProbabilityThreshold(let threshold, let seed):
      topK = 0
      topP = Float(threshold)
      minP = 0
      self.seed = seed.map { UInt32(truncatingIfNeeded: $0) }
    case nil: break
    }
    if let temperature = options.temperature {
      self.temperature = Float(temperature)
      // At 0 the likeliest token is the only one.
      if temperature <= 0 { isGreedy = true }
    }
  }
}
