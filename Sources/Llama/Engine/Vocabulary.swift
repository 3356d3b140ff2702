import Libllama

/// One entry of a model's vocabulary.
package typealias Token = Int32

extension LlamaModel {
  /// Returns the number of tokens in a text by itself.
  package func tokenCount(of text: String) -> Int {
    tokens(of: text).count
  }

  /// Returns the tokens of a text; names of special tokens in it become those tokens.
  package func tokens(of text: String) -> [Token] {
    // A token is at least one byte, apart from a space that some vocabularies prepend.
    var capacity = text.utf8.count + 2
    while true {
      let (tokens, needed) = tokens(of: text, capacity: capacity)
      guard needed < 0, needed != Int32.min else { return tokens }
      capacity = Int(-needed)
    }
  }

  /// Returns the tokens of a rendered prompt, with the beginning that the vocabulary requires.
  ///
  /// Rendering omits the beginning-of-text token where the vocabulary adds it, but a template may
  /// print it anyway; there is never a second one.
  func promptTokens(of text: String) -> [Token] {
    let tokens = pieces.tokens(of: text) { self.tokens(of: $0) }
    let beginning = llama_vocab_bos(vocabulary)
    guard llama_vocab_get_add_bos(vocabulary), beginning != LLAMA_TOKEN_NULL,
      tokens.first != beginning
    else { return tokens }
    return [beginning] + tokens
  }

  /// Returns the bytes that a token stands for, which need not be whole characters.
  func piece(of token: Token, showingControl: Bool) -> [UInt8] {
    var capacity: Int32 = 64
    while true {
      var length: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: Int(capacity)) { buffer, count in
        buffer.withMemoryRebound(to: CChar.self) { buffer in
          length = llama_token_to_piece(
            vocabulary,
            token,
            buffer.baseAddress,
            capacity,
            0,
            showingControl
          )
        }
        count = Int(max(0, length))
      }
      guard length < 0 else { return piece }
      capacity = -length
    }
  }

  /// Returns whether a token ends the model's answer.
  func isEnd(_ token: Token) -> Bool {
    llama_vocab_is_eog(vocabulary, token)
  }

  /// Returns whether a token was added to the vocabulary by name rather than learned from text.
  func isNamed(_ token: Token) -> Bool {
    let attributes = llama_vocab_get_attr(vocabulary, token).rawValue
    let named = LLAMA_TOKEN_ATTR_CONTROL.rawValue | LLAMA_TOKEN_ATTR_USER_DEFINED.rawValue
    return attributes & named != 0
  }

  /// Returns the named tokens whose text begins with `prefix`.
  func namedTokens(beginningWith prefix: String) -> [Token] {
    let prefix = Array(prefix.utf8)
    return (0..<llama_vocab_n_tokens(vocabulary)).filter { token in
      isNamed(token) && !isEnd(token)
        && piece(of: token, showingControl: true).starts(with: prefix)
    }
  }

  private func tokens(of text: String, capacity: Int) -> (tokens: [Token], needed: Int32) {
    var result: Int32 = 0
    let tokens = [Token](unsafeUninitializedCapacity: capacity) { buffer, count in
      result = text.withCString { characters in
        llama_tokenize(
          vocabulary,
          characters,
          Int32(clamping: text.utf8.count),
          buffer.baseAddress,
          Int32(clamping: capacity),
          false,
          true
        )
      }
      count = Int(max(0, result))
    }
    return (tokens, result)
  }
}
