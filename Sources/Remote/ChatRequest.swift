import AgentKit

/// A request in the JSON of chat completions.
struct ChatRequest {
  let json: String

  init(
    _ request: LanguageModelExecutorGenerationRequest,
    to asked: Asked,
    form: RequestForm
  ) {
    let entries = request.transcript.filter { form.hasReasoning || !$0.isReasoning }
    let messages = ChatMessages(entries).messages.map { message in
      OpaqueFields.restored(in: message, of: asked.origin, taking: form.opaqueFields)
    }
    var fields: [(String, any ConvertibleToGeneratedContent)] = [
      ("model", asked.model.name),
      ("messages", GeneratedContent(kind: .array(messages))),
      ("stream", true),
    ]
    if form.asksForUsage {
      fields.append(("stream_options", GeneratedContent(properties: ["include_usage": true])))
    }
    fields += Self.tools(of: request, form)
    fields += Self.options(request.generationOptions, seed: request.seed, form)
    if !request.stop.isEmpty { fields.append(("stop", request.stop.generatedContent)) }
    if let schema = request.schema {
      fields.append(("response_format", Self.format(schema, isStrict: form.isStrict)))
    }
    if form.skipsReasoning {
      fields.append(("reasoning_effort", "none"))
    } else if let level = request.contextOptions.reasoningLevel {
      fields.append(("reasoning_effort", Self.effort(level)))
    }
    json = GeneratedContent(properties: fields, uniquingKeysWith: { $1 }).jsonString
  }

  // Without tools the field is omitted, because some servers reject an empty list.
  private static func tools(
    of request: LanguageModelExecutorGenerationRequest,
    _ form: RequestForm
  ) -> [(String, any ConvertibleToGeneratedContent)] {
    let definitions = request.enabledToolDefinitions
    guard !definitions.isEmpty else { return [] }
    let choice =
      switch request.generationOptions.toolCallingMode?.kind ?? .allowed {
      case .allowed: "auto"
      case .required: "required"
      case .disallowed: "none"
      }
    let parallel: [(String, any ConvertibleToGeneratedContent)] =
      form.asksForParallelCalls ? [("parallel_tool_calls", true)] : []
    return [
      ("tools", GeneratedContent(kind: .array(definitions.map(\.chatTool)))),
      ("tool_choice", choice),
    ] + parallel
  }

  private static func options(
    _ options: GenerationOptions,
    seed: UInt64?,
    _ form: RequestForm
  ) -> [(String, any ConvertibleToGeneratedContent)] {
    var fields: [(String, any ConvertibleToGeneratedContent)] = []
    var temperature = options.temperature
    func seeded(_ own: UInt64?) {
      // Servers accept 32 bits, some of them signed.
      if let seed = seed ?? own { fields.append(("seed", Int(seed & 0x7FFF_FFFF))) }
    }
    switch options.samplingMode?.kind {
    case .greedy: temperature = 0
    case .randomTopK(let k, let seed):
      if form.hasTopK { fields.append(("top_k", k)) }
      seeded(seed)
    case .randomProbabilityThreshold(let threshold, let seed):
      fields.append(("top_p", threshold))
      seeded(seed)
    case nil: seeded(nil)
    }
    if let temperature { fields.append(("temperature", temperature)) }
    if let bound = form.bound {
      fields.append(("max_completion_tokens", bound))
      // Ollama and older servers know only this name, and would otherwise generate without end.
      if form.hasOldBound { fields.append(("max_tokens", bound)) }
    }
    return fields
  }

  private static func format(_ schema: GenerationSchema, isStrict: Bool) -> GeneratedContent {
    let strict = isStrict ? schema.strictSchema : nil
    return GeneratedContent(properties: [
      "type": "json_schema",
      "json_schema": GeneratedContent(properties: [
        "name": schemaName(schema.name),
        "strict": strict != nil,
        "schema": strict ?? schema.jsonSchema,
      ]),
    ])
  }

  // Servers accept 64 letters, digits, dashes and underscores.
  private static func schemaName(_ name: String) -> String {
    let letters = name.prefix(64).map { letter -> Character in
      letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
    }
    return letters.isEmpty ? "answer" : String(letters)
  }

  private static func effort(_ level: ContextOptions.ReasoningLevel) -> String {
    switch level {
    case .light: "low"
    case .moderate: "medium"
    case .deep: "high"
    case .custom(let name): name
    }
  }
}

extension Transcript.Entry {
  var isReasoning: Bool { if case .reasoning = self { true } else { false } }
}
