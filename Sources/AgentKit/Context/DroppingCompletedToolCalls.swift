extension LanguageModelSession.DynamicProfile {
  /// Hides tool calls and their outputs from the model once their exchange is over; nothing is
  /// stored.
  ///
  /// An exchange is over when the next prompt arrives; until then, the model sees all of its
  /// rounds. If an exchange ended without an answer, its last round stays visible, so that the
  /// model sees how it ended. The FoundationModels utility on which this is based also hides the
  /// earlier rounds of an unfinished exchange, but a model that does not see what it has done does
  /// it again.
  ///
  /// The modifier changes the middle of what the model sees, so everything after that point is
  /// computed again, once per exchange.
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
  /// Whether the entry is the model's answer or its calls.
  fileprivate var isOfModel: Bool {
    switch self {
    case .response, .toolCalls: true
    case .instructions, .prompt, .toolOutput, .reasoning: false
    }
  }

  /// Whether the entry is a round of calls or the output of a call.
  var isOfTool: Bool {
    switch self {
    case .toolCalls, .toolOutput: true
    case .instructions, .prompt, .response, .reasoning: false
    }
  }
}
