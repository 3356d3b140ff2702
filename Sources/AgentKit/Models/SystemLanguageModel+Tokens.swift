// The framework counts with the system's model only, and so the counts are here and not in the
// protocol. Each is what the configured model's own vocabulary and chat template make of it.

extension SystemLanguageModel {
  /// How many tokens a prompt is, without the marks that the chat template puts around it.
  /// - Throws: `SystemLanguageModel.Error` when no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(
    for prompt: some PromptRepresentable
  ) async throws -> Int {
    try counting().tokenCount(of: prompt.promptRepresentation.segments.joinedText)
  }

  /// How many tokens instructions are, without the marks that the chat template puts around them.
  /// - Throws: `SystemLanguageModel.Error` when no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(
    for instructions: Instructions
  ) async throws -> Int {
    try counting().tokenCount(of: instructions.segments.joinedText)
  }

  /// How many tokens tools add to a request: their definitions, and what the chat template says
  /// about them.
  /// - Throws: `SystemLanguageModel.Error` when no model is configured in this process;
  ///   `LanguageModelError.unsupportedCapability` when the model cannot carry tools.
  nonisolated(nonsending) public func tokenCount(for tools: [any Tool]) async throws -> Int {
    let model = try counting()
    guard !tools.isEmpty else { return 0 }
    let entries = [Transcript.Entry.prompt(.init(segments: [.text(.init(content: "x"))]))]
    let definitions = tools.map { Transcript.ToolDefinition(tool: $0) }
    let without = try await model.tokenCount(of: entries, tools: [])
    return try await model.tokenCount(of: entries, tools: definitions) - without
  }

  /// How many tokens a schema is where it is shown to the model.
  /// - Throws: `SystemLanguageModel.Error` when no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    try counting().tokenCount(of: schema.jsonSchema.jsonString)
  }

  /// How many tokens entries are as the model is given them, tools and marks included.
  /// - Throws: `SystemLanguageModel.Error` when no model is configured in this process; what the
  ///   model's chat template has against the entries.
  nonisolated(nonsending) public func tokenCount(
    for entries: some Collection<Transcript.Entry>
  ) async throws -> Int {
    let model = try counting()
    guard !entries.isEmpty else { return 0 }
    let tools = entries.leadingInstructions?.toolDefinitions ?? []
    return try await model.tokenCount(of: Array(entries), tools: tools)
  }

  private func counting() throws -> any LocalLanguageModel {
    guard let model = Self.localModel else { throw Error.noModel }
    return model
  }
}
