extension LanguageModelSession.DynamicProfile {
  /// Hides calls and their outputs from the model once their exchange is over, and stores nothing.
  ///
  /// An exchange is over when the next prompt is there; until then the model sees all of its rounds.
  /// Where an exchange has ended without an answer, its last round stays, so that the model sees what
  /// it came to. The utility of FoundationModels, from which this comes, also hides the earlier rounds
  /// of an exchange that is not over: a model that does not see what it has done does it again.
  ///
  /// It changes what the model sees in the middle, and everything after that is computed again: once an
  /// exchange.
  @_disfavoredOverload
  public func droppingCompletedToolCalls() -> some LanguageModelSession.DynamicProfile {
    historyTransform { entries in
      let isPrompt: (Transcript.Entry) -> Bool = { if case .prompt = $0 { true } else { false } }
      guard let prompt = entries.lastIndex(where: isPrompt),
        let end = entries[..<prompt].lastIndex(where: \.isOfModel)
      else { return entries }
      return entries[..<end].filter { !$0.isOfTool } + entries[end...]
    }
  }
}

extension Transcript.Entry {
  /// Whether the model answered or called.
  fileprivate var isOfModel: Bool {
    switch self {
    case .response, .toolCalls: true
    case .instructions, .prompt, .toolOutput, .reasoning: false
    }
  }

  /// Whether it is calls, or what came of one.
  var isOfTool: Bool {
    switch self {
    case .toolCalls, .toolOutput: true
    case .instructions, .prompt, .response, .reasoning: false
    }
  }
}
