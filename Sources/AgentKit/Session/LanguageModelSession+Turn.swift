import Synchronization

extension LanguageModelSession {
  /// Runs one turn to its end, or reverts it.
  nonisolated(nonsending) package func run(
    _ start: TurnStart,
    schema: GenerationSchema? = nil,
    host: some TurnHost
  ) async throws -> TurnOutcome {
    try await run(start, schema: schema, host: host, from: begin())
  }

  /// Runs a turn that has begun, on top of the transcript that it began with.
  nonisolated(nonsending) func run(
    _ start: TurnStart,
    schema: GenerationSchema?,
    host: some TurnHost,
    from before: Transcript
  ) async throws -> TurnOutcome {
    do {
      let outcome = try await SessionPropertyValues.$current.withValue(properties) {
        try await loop(start, schema: schema, host: host)
      }
      state.withLock { $0.phase = .idle }
      return outcome
    } catch {
      end(revertingTo: before)
      throw error
    }
  }

  /// Takes the session for one turn.
  func begin() throws -> Transcript {
    try state.withLock { state in
      guard state.phase == .idle else { throw Error.concurrentRequests }
      state.phase = .responding
      return state.transcript
    }
  }

  private func end(revertingTo before: Transcript) {
    let preserves = preservesTranscriptOnError
    state.withLock { state in
      // The instructions are the profile's word of the moment, and no part of the turn.
      if !preserves { state.transcript.history = before.history }
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
    let instructions = Transcript.Instructions(resolved.instructions)
    state.withLock { $0.transcript.lead(with: instructions) }
  }

  func append(_ entry: Transcript.Entry) {
    state.withLock { $0.transcript.append(entry) }
  }

  func add(_ usage: Usage) {
    state.withLock { $0.usage += usage }
  }

  /// Loads what the next request needs, where the model can.
  public func prewarm(promptPrefix: Prompt? = nil) {
    // A turn that is under way has made the model ready, and the profile is its own.
    guard var transcript = try? begin() else { return }
    let resolved = resolve()
    state.withLock { $0.phase = .idle }
    transcript.lead(with: Transcript.Instructions(resolved.instructions))
    if let promptPrefix { transcript.append(.prompt(.init(segments: promptPrefix.segments))) }
    let model = resolved.model ?? SystemLanguageModel.default
    executors.prewarm(model, transcript: transcript)
  }
}

extension Transcript {
  /// Puts instructions in the place of the leading ones, whose identity they take.
  fileprivate mutating func lead(with instructions: Instructions) {
    var instructions = instructions
    if case .instructions(let leading) = first {
      instructions.id = leading.id
      self[0] = .instructions(instructions)
    } else {
      insert(.instructions(instructions), at: 0)
    }
  }
}

extension Transcript.Instructions {
  /// The entry that instructions and tools come to.
  init(_ resolved: ResolvedInstructions) {
    self.init(
      id: "instructions",
      segments: resolved.segments,
      toolDefinitions: resolved.tools.map { Transcript.ToolDefinition($0) }
    )
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
