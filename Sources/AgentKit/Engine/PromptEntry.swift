extension Transcript.Prompt {
  /// Creates the entry of a prompt, with everything that accompanies it.
  init(
    _ prompt: some PromptRepresentable,
    _ schema: GenerationSchema?,
    _ options: GenerationOptions,
    _ contextOptions: ContextOptions = ContextOptions(),
    _ metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) {
    self.init(
      metadata: metadata,
      segments: prompt.promptRepresentation.segments,
      options: options,
      responseFormat: schema.map(Transcript.ResponseFormat.init(schema:)),
      contextOptions: contextOptions
    )
  }

  /// Creates the entry of a prompt whose answer follows a schema, which the model may also read.
  init(
    _ prompt: some PromptRepresentable,
    _ schema: GenerationSchema,
    _ options: GenerationOptions,
    _ includesSchema: Bool
  ) {
    self.init(prompt, schema, options, ContextOptions(includeSchemaInPrompt: includesSchema))
  }
}

extension LanguageModelSession {
  /// Runs the turn that answers a prompt.
  nonisolated(nonsending) func answer<Content: Generable>(
    _ prompt: Transcript.Prompt
  ) async throws -> Response<Content> {
    let outcome = try await run(
      .prompt(prompt),
      host: OpenHost(),
      from: begin(),
      watcher: nil,
      check: Response<Content>.check
    )
    return try Response(outcome)
  }
}
