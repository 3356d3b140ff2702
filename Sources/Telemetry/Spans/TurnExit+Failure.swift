import Transcripts

extension TurnExit {
  /// The exit in a word of a small vocabulary, without the reason.
  var word: String {
    switch self {
    case .answered: "answered"
    case .modeChanged: "mode_changed"
    case .finalAnswer: "final_answer"
    case .cap: "cap"
    case .cancelled: "cancelled"
    case .contextSizeExceeded: "context_size_exceeded"
    case .refused: "refused"
    case .failed: "failed"
    }
  }

  /// The failure that the exit is; `nil` for an answer.
  /// - Parameters:
  ///   - lostWorker: Whether a worker died and nothing came after.
  ///   - includesReason: Whether the reason may be told: it holds unfinished answers, words of
  ///     refusals, and lines of a worker's log.
  func failure(lostWorker: Bool, includesReason: Bool) -> Span.Failure? {
    let kind: String
    switch self {
    case .answered, .modeChanged, .finalAnswer: return nil
    case .cap("seconds"), .cap("time_limit"): kind = "timeout"
    case .cap("contextSize"), .cap("model_length"), .contextSizeExceeded:
      kind = "context_overflow"
    case .cap: kind = "cap"
    case .cancelled: kind = "cancelled"
    case .refused: kind = "refused"
    case .failed: kind = lostWorker ? "worker_lost" : "failed"
    }
    let reason = includesReason ? description.bounded(toBytes: 1024) : kind
    return Span.Failure(kind: kind, reason: reason)
  }
}
