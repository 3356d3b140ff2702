extension LanguageModelSession.State {
  /// Replaces the history.
  ///
  /// An agent may write instructions at its beginning. Where no others precede them, they would be
  /// taken for the profile's own, which the next request replaces; so an empty entry precedes them.
  mutating func write(history: Transcript.HistoryView) {
    if transcript.leadingInstructions == nil, history.leadingInstructions != nil {
      transcript.leadingInstructions = .init(ResolvedInstructions())
    }
    transcript.history = history
  }
}

extension Transcript {
  /// Replaces the leading instructions, keeping their identity.
  ///
  /// As in FoundationModels, there is no entry where there are neither instructions nor tools. A
  /// history that begins with instructions keeps an empty one before it.
  mutating func lead(with instructions: Instructions) {
    guard !instructions.isEmpty || history.leadingInstructions != nil else {
      leadingInstructions = nil
      return
    }
    var instructions = instructions
    instructions.id = leadingInstructions?.id ?? instructions.id
    leadingInstructions = instructions
  }
}

extension Transcript.Instructions {
  /// Creates the entry for resolved instructions and tools.
  init(_ resolved: ResolvedInstructions) {
    var definitions: [Transcript.ToolDefinition] = []
    for tool in resolved.tools {
      let definition = Transcript.ToolDefinition(tool: tool)
      // Instructions that are nested in two places contribute their tools twice.
      if !definitions.contains(definition) { definitions.append(definition) }
    }
    self.init(id: "instructions", segments: resolved.segments, toolDefinitions: definitions)
  }

  /// Whether there are neither instructions nor tools.
  fileprivate var isEmpty: Bool { segments.isEmpty && toolDefinitions.isEmpty }
}
