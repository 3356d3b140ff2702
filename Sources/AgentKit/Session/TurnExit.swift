/// Why a turn ended.
///
/// Every turn has exactly one exit. FoundationModels has no word for it: there an answer that was given
/// because nothing else was left looks like any other.
public enum TurnExit: Sendable, Hashable, Codable {
  /// The model answered.
  case answered
  /// The model answered after its tool-calling mode had changed from required.
  case modeChanged
  /// A tool ended the loop with an answer, by throwing ``FinalAnswer``.
  case finalAnswer
  /// The cap with this name was reached; there may be an answer all the same, as far as it came.
  ///
  /// `length` and `content_filter` are a server's own, which cut its answer off; `contextSize` is the
  /// window of a local model, which the answer filled;
  /// `maximumResponseTokens` is the agent's own, where it left room for no answer, or for no call when one
  /// was required.
  case cap(String)
  /// The turn was not wanted any more.
  case cancelled
  /// The model refused to answer, in its words.
  case refused(String)
  /// Something failed.
  case failed(String)
}

extension TurnExit: CustomStringConvertible {
  /// The exit in a few words.
  public var description: String {
    switch self {
    case .answered: "answered"
    case .modeChanged: "answered after the tool-calling mode changed"
    case .finalAnswer: "answered by a tool"
    case .cap(let name): "cap on \(name)"
    case .cancelled: "cancelled"
    case .refused(let reason): "refused: \(reason)"
    case .failed(let problem): "failed: \(problem)"
    }
  }
}

extension TurnExit {
  /// Why a turn ended that threw an error, other than a final answer.
  package init(throwing error: any Error) {
    switch error {
    case let error as CapReached: self = .cap(error.cap)
    case LanguageModelError.refusal(let refusal): self = .refused(refusal.reason)
    case is CancellationError where Task.isCancelled: self = .cancelled
    default: self = .failed(String(reflecting: error))
    }
  }
}

/// A cap left nothing for another request to the model.
package struct CapReached: Error {
  package let cap: String

  package init(cap: String) {
    self.cap = cap
  }
}

extension LanguageModelSession {
  /// The answer with which a tool ended a turn of this session, if that is what it did.
  ///
  /// An error of another session, which code of this one's agent has run, is a failure like any other.
  package func finalAnswer(in error: any Swift.Error) -> FinalAnswer? {
    guard let error = error as? ToolCallError, error.session == ObjectIdentifier(properties) else {
      return nil
    }
    return error.underlyingError as? FinalAnswer
  }
}
