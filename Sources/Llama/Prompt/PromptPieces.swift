import Libllama

/// The tokens of the last prompt, so that only the rest of a prompt with the same beginning is
/// tokenized.
///
/// A byte-pair vocabulary first splits a text at its named tokens; what lies between two of them
/// becomes the same tokens anywhere.
struct PromptPieces {
  /// A part of a prompt up to the end of a mark.
  private struct Piece {
    let text: [UInt8]
    let tokens: [Token]
  }

  private let marks: PromptMarks
  private var pieces: [Piece] = []

  init(_ marks: PromptMarks) {
    self.marks = marks
  }

  /// Returns the tokens of a prompt.
  ///
  /// - Parameter cut: Tokenizes a text.
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

  /// Keeps the pieces that end with a mark.
  private mutating func keep(_ tokens: [Token], of text: ArraySlice<UInt8>) {
    var (start, first) = (text.startIndex, 0)
    var place = start
    for (index, token) in tokens.enumerated() {
      // In order, because a mark may also be spelled inside another one.
      guard let name = marks.names[token] else { continue }
      guard let end = text[place...].end(of: name) else { return }
      place = end
      guard marks.ends.contains(token) else { continue }
      // Copies, because a slice would retain the whole prompt.
      pieces.append(Piece(text: Array(text[start..<end]), tokens: Array(tokens[first...index])))
      (start, first) = (end, index + 1)
    }
  }
}

/// The named tokens of a vocabulary, and those after which a prompt may be split without changing
/// any token.
struct PromptMarks {
  /// Comparing more names with each other would take longer than it saves.
  private static let maximumCount = 2048

  let names: [Token: [UInt8]]
  let ends: Set<Token>

  /// - Parameter model: The model with the names; there are none unless its vocabulary is of byte
  ///   pairs.
  init(_ model: LlamaModel) {
    let vocabulary = model.vocabulary
    func attributes(_ token: Token) -> UInt32 {
      llama_vocab_get_attr(vocabulary, token).rawValue
    }
    let control = LLAMA_TOKEN_ATTR_CONTROL.rawValue
    let named =
      control | LLAMA_TOKEN_ATTR_USER_DEFINED.rawValue | LLAMA_TOKEN_ATTR_UNKNOWN.rawValue
    let isCut = llama_vocab_type(vocabulary) == LLAMA_VOCAB_TYPE_BPE
    var tokens = (0..<(isCut ? llama_vocab_n_tokens(vocabulary) : 0)).filter {
      attributes($0) & named != 0
    }
    if tokens.count > Self.maximumCount { tokens = [] }
    let names = tokens.map { ($0, model.piece(of: $0, showingControl: true)) }
    self.init(names: Dictionary(uniqueKeysWithValues: names)) { token in
      // A token that swallows the white space after it ends at an unknown place.
      attributes(token) & (control | LLAMA_TOKEN_ATTR_RSTRIP.rawValue) == control
    }
  }

  init(names: [Token: [UInt8]], where isMark: (Token) -> Bool) {
    let texts = names.values.filter { !$0.isEmpty }
    let beginnings = Dictionary(grouping: texts) { $0[0] }
    /// Returns whether another name begins inside a mark and ends after it.
    func beginsLonger(in text: [UInt8]) -> Bool {
      text.indices.contains { index in
        guard let others = beginnings[text[index]] else { return false }
        return others.contains { $0.count > text.count - index && $0.starts(with: text[index...]) }
      }
    }
    /// Returns whether a mark lies inside another name, before its end.
    func standsInLonger(_ text: [UInt8]) -> Bool {
      texts.contains { $0.dropLast().end(of: text) != nil }
    }
    self.names = names.filter { !$0.value.isEmpty }
    ends = Set(
      self.names.filter { token, text in
        isMark(token) && !beginsLonger(in: text) && !standsInLonger(text)
      }.keys
    )
  }
}

extension ArraySlice<UInt8> {
  /// Returns the end of the first occurrence of a part.
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
