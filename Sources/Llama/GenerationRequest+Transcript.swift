package import AgentKit

extension GenerationRequest {
  /// The request as llama.cpp's chat templates take it.
  ///
  /// What is written depends on nothing but the request, so that the same transcript is the same
  /// prompt in every process.
  package init(_ request: LanguageModelExecutorGenerationRequest) {
    let messages = ChatMessages(request.transcript)
    self.init(messages: messages.json)
    let definitions = request.enabledToolDefinitions
    tools = definitions.isEmpty ? nil : "[\(definitions.map(\.json).joined(separator: ", "))]"
    outline = messages.outline
    if let tools { outline.parts.insert(.init(.tools, tools), at: 0) }
    switch request.generationOptions.toolCallingMode?.kind ?? .allowed {
    case .allowed: toolMode = definitions.isEmpty ? .disallowed : .allowed
    case .required: toolMode = .required
    case .disallowed: toolMode = .disallowed
    }
    sampling = SamplingOptions(request.generationOptions)
    maximumTokens = request.generationOptions.maximumResponseTokens
    isThinking = request.contextOptions.reasoningLevel != nil
    schema = request.schema?.jsonSchema.jsonString
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

extension Transcript.ToolDefinition {
  fileprivate var json: String {
    let function = GeneratedContent(properties: [
      "name": name,
      "description": description,
      "parameters": parameters.jsonSchema,
    ])
    return GeneratedContent(properties: ["type": "function", "function": function]).jsonString
  }
}

/// A transcript as chat messages.
private struct ChatMessages {
  private(set) var outline = Outline()
  private var messages: [String] = []
  private var thought: String?
  /// Calls are numbered in their order: whatever made them, the template sees the same identities.
  private var identities: [String: String] = [:]

  init(_ transcript: Transcript) {
    for entry in transcript { add(entry) }
  }

  var json: String { "[\(messages.joined(separator: ", "))]" }

  private mutating func add(_ entry: Transcript.Entry) {
    switch entry {
    case .instructions(let entry):
      let text = entry.segments.joinedText
      if !text.isEmpty { add(.instructions, "system", ["content": text]) }
    case .prompt(let entry): add(.prompt, "user", ["content": entry.segments.joinedText])
    case .reasoning(let entry): thought = entry.segments.joinedText
    case .response(let entry):
      add(.response, "assistant", ["content": entry.segments.joinedText])
    case .toolCalls(let entry):
      let calls = entry.map { call in
        GeneratedContent(properties: [
          "id": identity(of: call.id),
          "type": "function",
          "function": GeneratedContent(properties: [
            "name": call.toolName,
            "arguments": call.arguments.jsonString,
          ]),
        ])
      }
      add(
        .toolCalls,
        "assistant",
        ["content": "", "tool_calls": GeneratedContent(kind: .array(calls))]
      )
    case .toolOutput(let entry):
      add(
        .toolOutput,
        "tool",
        [
          "tool_call_id": identity(of: entry.id),
          "name": entry.toolName,
          "content": entry.segments.joinedText,
        ]
      )
    }
  }

  private mutating func add(
    _ kind: Outline.Part.Kind,
    _ role: String,
    _ fields: KeyValuePairs<String, any ConvertibleToGeneratedContent>
  ) {
    var properties: [(String, any ConvertibleToGeneratedContent)] = [("role", role)]
    properties += fields.map { ($0.key, $0.value) }
    if role == "assistant", let thought {
      properties.append(("reasoning_content", thought))
      self.thought = nil
    }
    let message = GeneratedContent(properties: properties, uniquingKeysWith: { $1 }).jsonString
    messages.append(message)
    outline.parts.append(.init(kind, message))
  }

  private mutating func identity(of call: String) -> String {
    if let known = identities[call] { return known }
    let number = String(identities.count)
    let identity = "call" + String(repeating: "0", count: max(0, 5 - number.count)) + number
    identities[call] = identity
    return identity
  }
}
