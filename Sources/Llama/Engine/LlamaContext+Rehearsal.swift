import Libllama
import Synchronization

extension LlamaContext {
  /// As many tokens as a short question has.
  private static let rehearsedTokens = 32
  /// As many parts of a step as the first layers have; what the other layers need lies in the same
  /// place.
  private static let rehearsedParts = 64

  /// Computes tokens and discards them, so that the memory that a step writes to becomes this
  /// process's own, while the context holds what it held.
  package func rehearse(cancel: CancelFlag = CancelFlag()) throws(LlamaError) {
    // Do not begin what cannot be undone.
    guard model.facts.canRewind, let token = model.tokens(of: "Hello").first else { return }
    let held = tokens(in: 0).count
    let count = min(Self.rehearsedTokens, batchSize, contextSize - held)
    guard count > 0 else { return }
    try begin(Array(repeating: token, count: count), in: 0, parts: Self.rehearsedParts)
    try append([token], to: 0, cancel: cancel)
    _ = try rewind(0, to: held)
  }

  /// Computes a batch and aborts it after this many parts of the step.
  private func begin(_ tokens: [Token], in sequence: Int32, parts: Int) throws(LlamaError) {
    let rest = Atomic(parts)
    let end = CancelFlag { rest.subtract(1, ordering: .relaxed).newValue < 0 }
    do throws(LlamaError) {
      try append(tokens, to: sequence, cancel: end)
    } catch .cancelled {
    }
  }
}
