import CLlama

/// How the next token is chosen.
package struct SamplingOptions: Sendable, Equatable {
  /// Always the likeliest token; the other options then have no effect.
  package var isGreedy = false
  package var temperature: Float = 0.8
  package var topK: Int32 = 40
  package var topP: Float = 0.95
  package var minP: Float = 0.05
  /// The same seed draws the same tokens; without one each generation draws its own.
  package var seed: UInt32?
  /// The most tokens that the model may think; then the end of its thinking is written for it.
  package var thinkingBudget: Int32?

  package init() {}

  /// The likeliest token, always.
  package static var greedy: SamplingOptions {
    var options = SamplingOptions()
    options.isGreedy = true
    return options
  }
}

/// Chooses tokens from a context's logits, within a grammar.
package final class Sampler {
  /// When the rendering's grammar holds.
  package enum GrammarUse: Sendable {
    case off
    /// As the template meant it: a lazy grammar sleeps until its trigger.
    case asRendered
    /// A lazy grammar from the first token on, as if its trigger had come.
    case atOnce

    fileprivate var value: cllama_grammar_use {
      switch self {
      case .off: CLLAMA_GRAMMAR_OFF
      case .asRendered: CLLAMA_GRAMMAR_AS_RENDERED
      case .atOnce: CLLAMA_GRAMMAR_AT_ONCE
      }
    }
  }

  // The grammar reads the model's vocabulary for as long as there is a sampler.
  private let model: LlamaModel
  private let pointer: OpaquePointer

  package init(
    model: LlamaModel,
    rendering: ChatRendering,
    options: SamplingOptions,
    grammar: GrammarUse = .asRendered,
    banned: [Token] = []
  ) throws(LlamaError) {
    self.model = model
    pointer = try calling({ .samplingFailed(reason: $0) }) { error in
      banned.withUnsafeBufferPointer { banned in
        cllama_sampler_create(
          model.pointer,
          rendering.pointer,
          cllama_sampler_options(
            greedy: options.isGreedy,
            temperature: options.temperature,
            top_k: options.topK,
            top_p: options.topP,
            min_p: options.minP,
            // The last number means any number to llama.cpp.
            seed: options.seed.map { min($0, UInt32.max - 1) } ?? UInt32.random(in: 0..<UInt32.max),
            thinking_budget: options.thinkingBudget ?? -1,
            grammar: grammar.value,
            banned: banned.baseAddress,
            banned_count: banned.count
          ),
          error
        )
      }
    }
  }

  deinit {
    cllama_sampler_free(pointer)
  }

  /// Chooses from the logits of the token that the context computed last.
  package func sample(from context: LlamaContext) throws(LlamaError) -> Token {
    try calling({ .samplingFailed(reason: $0) }) { error in
      let token = cllama_sampler_sample(pointer, context.pointer, error)
      return token < 0 ? nil : token
    }
  }

  /// Moves the grammar on by a token that now is part of the answer.
  package func accept(_ token: Token) throws(LlamaError) {
    try calling({ .samplingFailed(reason: $0) }) { error in
      cllama_sampler_accept(pointer, token, error) ? () : nil
    }
  }
}
