import Libllama

/// The tokens of the last prompt, so that of one that begins alike only the rest is cut into tokens.
///
/// A vocabulary of byte pairs first cuts a text at the tokens that it knows by name; what stands
/// between two of them becomes the same tokens wherever it stands.
struct PromptPieces {
  /// A part of a prompt up to the end of a mark.
  private struct Piece {
    let text: ArraySlice<UInt8>
    let tokens: ArraySlice<Token>
  }

  private let marks: PromptMarks
  private var pieces: [Piece] = []

  init(_ marks: PromptMarks) {
    self.marks = marks
  }

  /// The tokens of a prompt.
  /// - Parameter cut: Cuts a text into tokens.
  mutating func tokens(of prompt: String, _ cut: (String) -> [Token]) -> [Token] {
    let text = Array(prompt.utf8)
    var (known, start, tokens) = (0, 0, [Token]())
    for piece in pieces {
      guard text[start...].starts(with: piece.text) else { break }
      start += piece.text.count
      tokens += piece.tokens
      known += 1
    }
    pieces.removeSubrange(known...)
    guard start < text.count else { return tokens }
    let rest = cut(start == 0 ? prompt : String(decoding: text[start...], as: UTF8.self))
    keep(rest, of: text[start...])
    return tokens + rest
  }

  /// Keeps what ends with a mark.
  private mutating func keep(_ tokens: [Token], of text: ArraySlice<UInt8>) {
    var (start, first) = (text.startIndex, 0)
    var place = start
    for (index, token) in tokens.enumerated() {
      guard let mark = marks.texts[token] else { continue }
      guard let end = text[place...].end(of: mark) else { return }
      place = end
      pieces.append(Piece(text: text[start..<end], tokens: tokens[first...index]))
      (start, first) = (end, index + 1)
    }
  }
}

/// The marks at which a prompt may be cut in two without a token becoming another.
struct PromptMarks {
  let texts: [Token: [UInt8]]

  /// - Parameter model: Of which the marks are; none where its vocabulary is not of byte pairs.
  init(_ model: LlamaModel) {
    let vocabulary = model.vocabulary
    guard llama_vocab_type(vocabulary) == LLAMA_VOCAB_TYPE_BPE else {
      texts = [:]
      return
    }
    let named = (0..<llama_vocab_n_tokens(vocabulary)).filter(model.isNamed).map { token in
      (token: token, text: model.piece(of: token, showingControl: true))
    }
    texts = Self.separate(named) { token in
      let attributes = llama_vocab_get_attr(vocabulary, token).rawValue
      // What takes the white space after it along ends where nobody can see it.
      return attributes & LLAMA_TOKEN_ATTR_CONTROL.rawValue != 0
        && attributes & LLAMA_TOKEN_ATTR_RSTRIP.rawValue == 0
    }
  }

  /// Those of the named tokens at whose end no other one can be under way.
  static func separate(
    _ named: [(token: Token, text: [UInt8])],
    where isMark: (Token) -> Bool
  ) -> [Token: [UInt8]] {
    let beginnings = Dictionary(grouping: named.map(\.text).filter { !$0.isEmpty }) { $0[0] }
    /// Whether another one begins in a mark and ends after it.
    func beginsLonger(in text: [UInt8]) -> Bool {
      text.indices.contains { index in
        guard let others = beginnings[text[index]] else { return false }
        return others.contains { $0.count > text.count - index && $0.starts(with: text[index...]) }
      }
    }
    /// Whether a mark stands in another one, before its end.
    func standsInLonger(_ text: [UInt8]) -> Bool {
      named.contains { $0.text.dropLast().end(of: text) != nil }
    }
    var texts: [Token: [UInt8]] = [:]
    for (token, text) in named where !text.isEmpty && isMark(token) {
      if !beginsLonger(in: text), !standsInLonger(text) { texts[token] = text }
    }
    return texts
  }
}

extension ArraySlice<UInt8> {
  /// Where the first occurrence of something ends.
  fileprivate func end(of part: [UInt8]) -> Index? {
    guard let first = part.first else { return nil }
    var rest = self
    while let index = rest.firstIndex(of: first) {
      rest = rest[index...]
      if rest.starts(with: part) { return index + part.count }
      rest = rest.dropFirst()
    }
    return nil
  }
}
