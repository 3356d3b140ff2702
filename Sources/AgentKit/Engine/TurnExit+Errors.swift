extension TurnExit {
  /// Creates the exit of a turn that threw an error other than a final answer.
  package init(throwing error: any Error) {
    switch error {
    case let error as CapReached: self = .cap(error.cap)
    case LanguageModelError.contextSizeExceeded(let facts):
      self = .contextSizeExceeded(facts.debugDescription)
    case LanguageModelError.refusal(let refusal): self = .refused(refusal.reason)
    case is CancellationError where Task.isCancelled: self = .cancelled
    default: self = .failed(error.inWords)
    }
  }
}

/// An error that says that a cap left nothing for another request to the model.
package struct CapReached: Error {
  package let cap: String

  package init(cap: String) {
    self.cap = cap
  }
}

extension LanguageModelSession {
  /// Returns the final answer with which a tool ended a turn of this session, if the error is one.
  ///
  /// An error from another session that this agent's code ran is a failure like any other.
  package func finalAnswer(in error: any Swift.Error) -> FinalAnswer? {
    guard let error = error as? ToolCallError, error.session == ObjectIdentifier(properties) else {
      return nil
    }
    return error.underlyingError as? FinalAnswer
  }
}
