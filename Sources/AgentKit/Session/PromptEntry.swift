extension Transcript.Prompt {
  /// The entry of a prompt with everything that is given with it.
  init(
    _ prompt: Prompt,
    schema: GenerationSchema? = nil,
    options: GenerationOptions,
    contextOptions: ContextOptions,
    metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.init(
      metadata: metadata,
      segments: prompt.segments,
      options: options,
      responseFormat: schema.map(Transcript.ResponseFormat.init(schema:)),
      contextOptions: contextOptions
    )
  }
}

extension LanguageModelSession {
  /// Runs the turn of a prompt.
  nonisolated(nonsending) func answer<Content: Generable>(
    _ prompt: Transcript.Prompt
  ) async throws -> Response<Content> {
    try Response(await run(.prompt(prompt), host: OpenHost()))
  }
}
