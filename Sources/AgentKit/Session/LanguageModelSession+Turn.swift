import Synchronization

extension LanguageModelSession {
  /// Runs one turn to its end, or reverts it.
  nonisolated(nonsending) package func run(
    _ start: TurnStart,
    schema: GenerationSchema? = nil,
    host: some TurnHost
  ) async throws -> TurnOutcome {
    let before = try begin()
    do {
      let outcome = try await SessionPropertyValues.$current.withValue(properties) {
        try await loop(start, firstNew: before.endIndex, schema: schema, host: host)
      }
      state.withLock { $0.phase = .idle }
      return outcome
    } catch {
      end(revertingTo: before)
      throw error
    }
  }

  private func begin() throws -> Transcript {
    try state.withLock { state in
      guard state.phase == .idle else { throw Error.concurrentRequests }
      state.phase = .responding
      return state.transcript
    }
  }

  private func end(revertingTo before: Transcript) {
    let preserves = preservesTranscriptOnError
    state.withLock { state in
      if !preserves { state.transcript = before }
      state.phase = .idle
    }
  }

  /// What the profile comes to now.
  func resolve() -> ResolvedProfile {
    SessionPropertyValues.$current.withValue(properties) {
      var resolved = ResolvedProfile()
      resolved.append(profile)
      return resolved
    }
  }

  /// Replaces entry zero by what the profile says now, and tells profiles that came or went.
  nonisolated(nonsending) func activate(_ resolved: ResolvedProfile) async {
    if active?.identity != resolved.identity {
      let left = active
      active = ActiveProfile(
        identity: resolved.identity,
        onDeactivate: resolved.hooks.onDeactivate
      )
      for notice in left?.onDeactivate ?? [] { await notice() }
      for notice in resolved.hooks.onActivate { await notice() }
    }
    let definitions = resolved.instructions.tools.map { Transcript.ToolDefinition($0) }
    state.withLock { state in
      let hasEntry = state.transcript.hasLeadingInstructions
      let entry = Transcript.Entry.instructions(
        .init(
          id: hasEntry ? state.transcript[0].id : "instructions",
          segments: resolved.instructions.segments,
          toolDefinitions: definitions
        )
      )
      if hasEntry {
        state.transcript[0] = entry
      } else {
        state.transcript.insert(entry, at: 0)
      }
    }
  }

  func append(_ entry: Transcript.Entry) {
    state.withLock { $0.transcript.append(entry) }
  }

  func add(_ usage: Usage) {
    state.withLock { $0.usage += usage }
  }

  /// Loads what the next request needs, where the model can.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let resolved = resolve()
    var entries = transcript.entries
    if !transcript.hasLeadingInstructions {
      let definitions = resolved.instructions.tools.map { Transcript.ToolDefinition($0) }
      let segments = resolved.instructions.segments
      entries.insert(
        .instructions(.init(segments: segments, toolDefinitions: definitions)),
        at: 0
      )
    }
    if let promptPrefix { entries.append(.prompt(.init(segments: promptPrefix.segments))) }
    let model = resolved.model ?? SystemLanguageModel.default
    executors.prewarm(model, transcript: Transcript(entries: entries))
  }
}

extension Transcript.ToolDefinition {
  fileprivate init(_ tool: any Tool) {
    self.init(tool: tool)
  }
}

extension LanguageModelSession {
  /// Whether a failed turn leaves its entries in the transcript, as the profile says now.
  package var preservesTranscriptOnError: Bool {
    let policy = resolve().errorPolicy ?? transcriptErrorHandlingPolicy ?? .revertTranscript
    return policy.kind == .preserve
  }
}
