import CLlama

/// How the next token is chosen.
package struct SamplingOptions: Sendable, Equatable {
  /// Always take the likeliest token; the other options then have no effect.
  package var isGreedy = false
  package var temperature: Float = 0.8
  package var topK: Int32 = 40
  package var topP: Float = 0.95
  package var minP: Float = 0.05
  /// The same seed draws the same tokens; without one each generation draws its own.
  package var seed: UInt32?
  /// The maximum number of tokens for thinking; then the end of thinking is written for the model.
  package var thinkingBudget: Int32?

  package init() {}

  /// Options that always choose the likeliest token.
  package static var greedy: SamplingOptions {
    var options = SamplingOptions()
    options.isGreedy = true
    return options
  }
}

/// Chooses tokens from a context's logits, constrained by a grammar.
package final class Sampler {
  /// When the rendering's grammar applies.
  package enum GrammarUse: Sendable {
    /// As the template intends: a lazy grammar waits for its trigger.
    case asRendered
    /// From the first token, even if lazy, as if its trigger had occurred.
    case atOnce

    fileprivate var value: cllama_grammar_use {
      switch self {
      case .asRendered: CLLAMA_GRAMMAR_AS_RENDERED
      case .atOnce: CLLAMA_GRAMMAR_AT_ONCE
      }
    }
  }

  // The grammar reads the model's vocabulary for as long as the sampler exists.
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
            // llama.cpp takes the largest number to mean a random seed.
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

  /// Chooses a token from the logits of the last token that the context computed.
  package func sample(from context: LlamaContext) throws(LlamaError) -> Token {
    try calling({ .samplingFailed(reason: $0) }) { error in
      let token = cllama_sampler_sample(pointer, context.pointer, error)
      return token < 0 ? nil : token
    }
  }

  /// Advances the grammar by a token that is now part of the answer.
  package func accept(_ token: Token) throws(LlamaError) {
    try calling({ .samplingFailed(reason: $0) }) { error in
      cllama_sampler_accept(pointer, token, error) ? () : nil
    }
  }
}
