/// Why a turn ended.
///
/// Every turn has exactly one exit. FoundationModels has no equivalent: there, an answer given only
/// because nothing else was left looks like any other.
public enum TurnExit: Sendable, Hashable, Codable {
  /// The model answered.
  case answered
  /// The model answered after its tool-calling mode had changed from required.
  case modeChanged
  /// A tool ended the loop with an answer, by throwing ``FinalAnswer``.
  case finalAnswer
  /// The named cap was reached; there may still be an answer, as far as it was generated.
  ///
  /// `length`, `model_length`, `time_limit` and `content_filter` come from a server that cut its
  /// answer off. `contextSize` is the window of a local model, filled by the answer. `repetition`
  /// stops a local model that repeats the same tokens without end.
  /// `maximumResponseTokens` is the agent's own limit, if it left no room for an answer or for a
  /// required call.
  case cap(String)
  /// The turn was cancelled.
  case cancelled
  /// The transcript does not fit into the model's window; the associated value says by how much.
  case contextSizeExceeded(String)
  /// The model refused to answer; the associated value is its explanation.
  case refused(String)
  /// The turn failed.
  case failed(String)
}

extension TurnExit: CustomStringConvertible {
  /// A short description of the exit.
  public var description: String {
    switch self {
    case .answered: "answered"
    case .modeChanged: "answered after the tool-calling mode changed"
    case .finalAnswer: "answered by a tool"
    case .cap(Transcript.Response.repetition): "the answer repeated itself without end"
    case .cap(let name): "cap on \(name)"
    case .cancelled: "cancelled"
    case .contextSizeExceeded(let problem): "too long for the model's window: \(problem)"
    case .refused(let reason): "refused: \(reason)"
    case .failed(let problem): "failed: \(problem)"
    }
  }
}
