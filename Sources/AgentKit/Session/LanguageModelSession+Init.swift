import Synchronization

// Two families of initializers, as in FoundationModels: one for the configured local model, which may
// be left out or written `.default`, and one for any model.

extension LanguageModelSession {
  /// Begins a conversation that follows a profile.
  ///
  /// The profile and what it holds belong to the session from then on.
  /// - Parameter history: What was said before. Leading instructions in it give way to the profile's.
  public convenience init(
    profile: sending some DynamicProfile,
    history: some Collection<Transcript.Entry> = []
  ) {
    self.init(erased: profile, transcript: Transcript(entries: history))
  }

  /// Begins a conversation that follows instructions which change with the app's state.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = []
  ) {
    let profile = Profile(erased: dynamicInstructions).model(model)
    self.init(erased: profile, transcript: Transcript(entries: history))
  }

  private convenience init(
    fixed model: any LanguageModel,
    _ tools: [any Tool],
    _ instructions: Instructions?
  ) {
    let fixed = FixedInstructions(instructions: instructions, tools: tools)
    // What never changes can be seen before the first prompt.
    var resolved = ResolvedInstructions()
    fixed.resolve(into: &resolved)
    self.init(erased: Profile(erased: fixed).model(model), transcript: Transcript())
    let entry = Transcript.Entry.instructions(instructionsEntry(resolved))
    state.withLock { $0.transcript = Transcript(entries: [entry]) }
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
  /// Begins a conversation with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    instructions: String? = nil
  ) {
    self.init(fixed: model, tools, instructions.map { Instructions($0) })
  }

  /// Begins a conversation with fixed instructions and tools.
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(fixed: model, tools, try instructions())
  }

  /// Begins a conversation with fixed instructions and tools.
  public convenience init(
    model: SystemLanguageModel = .default,
    tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools, instructions)
  }

  /// Continues a conversation.
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
  // Disfavored, because with a `SystemLanguageModel` Swift 6.3 cannot tell it from the one above.
  /// Begins a conversation with fixed instructions and tools.
  @_disfavoredOverload
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel,
    tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(fixed: model, tools, try instructions())
  }

  /// Continues a conversation.
  ///
  /// Its instructions are taken from the transcript.
  public convenience init(
    model: some LanguageModel,
    tools: [any Tool] = [],
    transcript: Transcript
  ) {
    self.init(continuing: transcript, model, tools)
  }

  /// Begins a conversation with fixed instructions and tools.
  public convenience init(
    model: some LanguageModel,
    tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(fixed: model, tools, instructions)
  }

  /// Begins a conversation with fixed instructions and tools.
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
