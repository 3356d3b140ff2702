// The framework counts tokens only with the system's model, so these methods belong to this type
// and not to the protocol. They use the configured model's own vocabulary and chat template.

extension SystemLanguageModel {
  /// Returns the number of tokens in a prompt, without the chat template's markup around it.
  ///
  /// - Parameter prompt: The prompt to count.
  /// - Throws: ``SystemLanguageModel/Error`` if no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(
    for prompt: some PromptRepresentable
  ) async throws -> Int {
    try counting().tokenCount(of: prompt.promptRepresentation.segments.joinedText)
  }

  /// Returns the number of tokens in instructions, without the chat template's markup around them.
  ///
  /// - Parameter instructions: The instructions to count.
  /// - Throws: ``SystemLanguageModel/Error`` if no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(
    for instructions: Instructions
  ) async throws -> Int {
    try counting().tokenCount(of: instructions.segments.joinedText)
  }

  /// Returns the number of tokens that tools add to a request.
  ///
  /// They include the definitions and what the chat template says about them.
  ///
  /// - Parameter tools: The tools to count.
  /// - Throws: ``SystemLanguageModel/Error`` if no model is configured in this process;
  ///   ``LanguageModelError/unsupportedCapability(_:)`` if the model cannot use tools.
  nonisolated(nonsending) public func tokenCount(for tools: [any Tool]) async throws -> Int {
    let model = try counting()
    guard !tools.isEmpty else { return 0 }
    let entries = [Transcript.Entry.prompt(.init(segments: [.text(.init(content: "x"))]))]
    let definitions = tools.map { Transcript.ToolDefinition(tool: $0) }
    let without = try await model.tokenCount(of: entries, tools: [])
    return try await model.tokenCount(of: entries, tools: definitions) - without
  }

  /// Returns the number of tokens in a schema that is shown to the model.
  ///
  /// - Parameter schema: The schema to count.
  /// - Throws: ``SystemLanguageModel/Error`` if no model is configured in this process.
  nonisolated(nonsending) public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    try counting().tokenCount(of: schema.jsonSchema.jsonString)
  }

  /// Returns the number of tokens in entries as given to the model, including tools and markup.
  ///
  /// - Parameter entries: The entries to count.
  /// - Throws: ``SystemLanguageModel/Error`` if no model is configured in this process; an error if
  ///   the model's chat template rejects the entries.
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
