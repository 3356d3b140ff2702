import CLlama

/// A conversation rendered for a model, with what is needed to parse its answer.
package final class ChatRendering {
  /// What activates a lazy grammar.
  package enum Trigger: Equatable, Sendable {
    case token(String)
    case word(String)
    case pattern(String)

    /// The text that every call begins with, if there is one.
    package var literal: String? {
      switch self {
      case .token(let text), .word(let text): text.isEmpty ? nil : text
      case .pattern: nil
      }
    }
  }

  package let prompt: String
  package let grammar: String
  package let isGrammarLazy: Bool
  /// The end of the prompt that belongs to the answer.
  package let generationPrompt: String
  package let triggers: [Trigger]
  /// Texts that end an answer, in addition to the vocabulary's end tokens.
  package let stops: [String]
  /// Control tokens that the parser must see as text.
  package let preservedTokens: [String]
  package let supportsThinking: Bool
  package let thinkingStart: String
  package let thinkingEnds: [String]

  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    var length = 0
    let bytes = cllama_rendering_prompt(pointer, &length)
    prompt = String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    grammar = String(cString: cllama_rendering_grammar(pointer))
    isGrammarLazy = cllama_rendering_grammar_is_lazy(pointer)
    generationPrompt = String(cString: cllama_rendering_generation_prompt(pointer))
    triggers = (0..<cllama_rendering_trigger_count(pointer)).map { index in
      let text = String(cString: cllama_rendering_trigger(pointer, index))
      return switch cllama_rendering_trigger_kind(pointer, index) {
      case CLLAMA_TRIGGER_TOKEN: .token(text)
      case CLLAMA_TRIGGER_WORD: .word(text)
      default: .pattern(text)
      }
    }
    stops = strings(cllama_rendering_stop_count(pointer)) {
      cllama_rendering_stop(pointer, $0)
    }
    preservedTokens = strings(cllama_rendering_preserved_count(pointer)) {
      cllama_rendering_preserved(pointer, $0)
    }
    supportsThinking = cllama_rendering_supports_thinking(pointer)
    thinkingStart = String(cString: cllama_rendering_thinking_start(pointer))
    thinkingEnds = strings(cllama_rendering_thinking_end_count(pointer)) {
      cllama_rendering_thinking_end(pointer, $0)
    }
  }

  deinit {
    cllama_rendering_free(pointer)
  }
}
