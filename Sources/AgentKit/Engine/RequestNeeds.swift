/// The capabilities that a request needs from a model.
struct RequestNeeds {
  let mode: GenerationOptions.ToolCallingMode.Kind
  let tools: [Transcript.ToolDefinition]
  let schema: GenerationSchema?
  let reasoningLevel: ContextOptions.ReasoningLevel?

  /// Checks that the request can be served.
  ///
  /// - Throws: ``LanguageModelError`` if no model, or not this one, can serve it.
  func check(_ capabilities: LanguageModelCapabilities) throws {
    if let schema {
      try require(
        .guidedGeneration,
        of: capabilities,
        "The model does not support schemas, but the answer must follow one: \(schema.name)."
      )
      try check(schema, "The answer cannot follow the schema '\(schema.name)'.")
    }
    if let reasoningLevel {
      try require(
        .reasoning,
        of: capabilities,
        "The model does not support reasoning, but a reasoning level is set: \(reasoningLevel). Set"
          + " none for this model."
      )
    }
    if mode == .required, tools.isEmpty {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(debugDescription: "Tool calls are required, but the profile has no tools.")
      )
    }
    guard mode != .disallowed, !tools.isEmpty else { return }
    let names = tools.map(\.name)
    try require(
      .toolCalling,
      of: capabilities,
      "The model does not support tools, but the profile has: \(names.joined(separator: ", "))."
    )
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw LanguageModelError.unsupportedGenerationGuide(
        .init(debugDescription: "Two different tools are named '\(name)'.")
      )
    }
    for tool in tools {
      try check(tool.parameters, "The tool '\(tool.name)' cannot be offered to the model.")
    }
  }

  private func require(
    _ capability: LanguageModelCapabilities.Capability,
    of capabilities: LanguageModelCapabilities,
    _ problem: String
  ) throws {
    guard !capabilities.contains(capability) else { return }
    throw LanguageModelError.unsupportedCapability(
      .init(capability: capability, debugDescription: problem)
    )
  }

  private func check(_ schema: GenerationSchema, _ consequence: String) throws {
    guard let flaw = schema.flaw else { return }
    throw LanguageModelError.unsupportedGenerationGuide(
      .init(schemaName: schema.name, debugDescription: "\(consequence) \(flaw)")
    )
  }
}
