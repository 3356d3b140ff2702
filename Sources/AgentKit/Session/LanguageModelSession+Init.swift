import Synchronization

// As in FoundationModels, there are two families of initializers: one for the configured local
// model, which can be omitted or written as `.default`, and one for any model.

extension LanguageModelSession {
  /// Creates a session that follows a profile.
  ///
  /// From then on, the profile and everything it contains belong to the session.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - history: The earlier entries. The profile's instructions replace any leading ones.
  ///   - isolation: The actor on which answers are streamed: the caller's, to which the types of the
  ///     profile may belong.
  public convenience init(
    profile: sending some DynamicProfile,
    history: some Collection<Transcript.Entry> = [],
    isolation: (any Actor)? = #isolation
  ) {
    self.init(erased: profile, transcript: Transcript(entries: history), isolation: isolation)
  }

  /// Creates a session that follows instructions that change with the app's state.
  ///
  /// Answers are streamed on the caller's actor, to which the types of the instructions may belong.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = [],
    isolation: (any Actor)? = #isolation
  ) {
    let profile = Profile(erased: dynamicInstructions).model(model)
    self.init(erased: profile, transcript: Transcript(entries: history), isolation: isolation)
  }

  private convenience init(
    fixed model: any LanguageModel,
    _ tools: [any Tool],
    _ instructions: Instructions?
  ) {
    let fixed = FixedInstructions(instructions: instructions, tools: tools)
    // Instructions that never change are visible before the first prompt.
    var resolved = ResolvedInstructions()
    fixed.resolve(into: &resolved)
    self.init(erased: Profile(erased: fixed).model(model), transcript: Transcript())
    let entry = instructionsEntry(resolved)
    state.withLock { $0.transcript.lead(with: entry) }
  }

  private convenience init(
    continuing transcript: Transcript,
    _ model: any LanguageModel,
    _ tools: [any Tool]
  ) {
    let told = transcript.leadingInstructions.map { Instructions(segments: $0.segments) }
    let fixed = FixedInstructions(instructions: told, tools: tools)
    self.init(erased: Profile(erased: fixed).model(model), transcript: transcript)
  }
}

// MARK: The configured local model

extension LanguageModelSession {
  /// Creates a session with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    instructions: String? = nil
  ) {
    self.init(fixed: model, tools, instructions.map { Instructions($0) })
  }

  /// Creates a session with fixed instructions and tools.
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(fixed: model, tools, try instructions())
  }

  /// Creates a session with fixed instructions and tools.
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools, instructions)
  }

  /// Creates a session that continues a conversation.
  ///
  /// Its instructions are taken from the transcript.
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    transcript: Transcript
  ) {
    self.init(continuing: transcript, model, tools)
  }
}

// MARK: Any model

extension LanguageModelSession {
  // Disfavored, because Swift 6.3 finds it ambiguous with the one above for a
  // `SystemLanguageModel`.
  /// Creates a session with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel,
    tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(fixed: model, tools, try instructions())
  }

  /// Creates a session that continues a conversation.
  ///
  /// Its instructions are taken from the transcript.
  public convenience init(
    model: some LanguageModel,
    tools: [any Tool] = [],
    transcript: Transcript
  ) {
    self.init(continuing: transcript, model, tools)
  }

  /// Creates a session with fixed instructions and tools.
  public convenience init(
    model: some LanguageModel,
    tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools, instructions)
  }

  /// Creates a session with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel,
    tools: [any Tool] = [],
    instructions: String? = nil
  ) {
    self.init(fixed: model, tools, instructions.map { Instructions($0) })
  }
}

/// Instructions and tools that do not change.
private struct FixedInstructions: DynamicInstructions, InstructionsLeaf {
  let instructions: Instructions?
  let tools: [any Tool]

  func resolve(into resolved: inout ResolvedInstructions) {
    if let instructions { instructions.resolve(into: &resolved) }
    resolved.tools += tools
  }
}
