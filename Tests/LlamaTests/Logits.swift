import Libllama
import Testing

@testable import Llama

/// The scores that a model gives each token as the next one.
enum Logits {
  /// The logits after the token that was computed last.
  static func last(of context: LlamaContext) throws -> [Float] {
    let logits = try #require(llama_get_logits_ith(context.pointer, -1))
    let count = Int(llama_vocab_n_tokens(context.model.vocabulary))
    return Array(UnsafeBufferPointer(start: logits, count: count))
  }

  /// The largest difference between two sets of logits, relative to the range of the first.
  static func distance(_ one: [Float], _ other: [Float]) -> Float {
    let range = (one.max() ?? 0) - (one.min() ?? 0)
    return zip(one, other).reduce(0) { max($0, abs($1.0 - $1.1)) } / range
  }
}
