package import AgentKit

/// The outcome of a request.
package struct GenerationResult: Sendable, Equatable {
  /// Why the model stopped writing.
  package enum Finish: Sendable, Equatable {
    case stop
    /// The token limit was reached.
    case length
    case windowFilled
    /// It repeated the same tokens until the engine stopped it.
    case repetition
    case cancelled
  }

  /// The message without truncated calls.
  package let message: GeneratedMessage
  package let finish: Finish
  package var usage: GenerationUsage
}

/// What a request cost.
package struct GenerationUsage: Sendable, Equatable {
  /// Tokens given to the model: the prompt and the beginning of a required call.
  package var input = 0
  /// Those of `input` that the context already held.
  package var cached = 0
  /// Those of `input` that were computed; fewer than the rest after a cancellation, and more where
  /// the model was asked twice.
  package var computed = 0
  /// Where and why less was cached than the context held.
  package var cacheBreak: CacheBreak?
  /// Tokens that the model chose, without the one that ends its answer.
  package var output = 0
  /// Those of `output` spent on thinking, as counted by the vocabulary.
  package var reasoning = 0
  /// The time from the call until the model had chosen its first token.
  package var secondsToFirstToken: Double?
  package var prefillSeconds = 0.0
  package var decodeSeconds = 0.0
  /// The time before all of this, during which other processes had the cores.
  package var secondsWaited = 0.0

  package init() {}
}
