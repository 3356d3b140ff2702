/// Separates the reasoning that some servers leave in the content, between `<think>` and
/// `</think>`, from the answer that follows it.
///
/// Only at the very beginning: anywhere else the tags are part of the answer.
struct ThinkTags {
  typealias Piece = SentTexts.Piece

  private enum Place {
    case start, reasoning, behind, answer
  }

  private static let opening = Array("<think>".utf8)
  private static let closing = Array("</think>".utf8)

  private var place = Place.start
  /// What has arrived and may be part of a tag.
  private var held: [UInt8] = []

  /// Whether what has arrived last is reasoning.
  var isReasoning: Bool { place == .reasoning }

  /// Takes a piece of the content and returns what it is, as far as that is certain.
  mutating func take(_ text: String) -> [Piece] {
    guard place != .answer else { return [.answer(text)] }
    held += Array(text.utf8)
    var pieces: [Piece] = []
    if place == .start { start() }
    if place == .reasoning { pieces += reason() }
    if place == .behind {
      // The line breaks between the tag and the answer belong to neither.
      held = Array(held.drop(while: Self.isSpace))
      if !held.isEmpty { place = .answer }
    }
    if place == .answer { pieces += rest(as: Piece.answer) }
    return pieces
  }

  /// Returns what was held back until the end.
  mutating func finish() -> [Piece] {
    switch place {
    case .reasoning: rest(as: Piece.reasoning)
    case .start, .answer: rest(as: Piece.answer)
    case .behind: []
    }
  }

  private mutating func start() {
    let content = held.drop(while: Self.isSpace)
    if content.starts(with: Self.opening) {
      held = Array(content.dropFirst(Self.opening.count))
      place = .reasoning
    } else if !Self.opening.starts(with: content) {
      place = .answer
    }
  }

  private mutating func reason() -> [Piece] {
    if let end = held.firstRange(of: Self.closing) {
      let text = held[..<end.lowerBound]
      held = Array(held[end.upperBound...])
      place = .behind
      return Self.pieces(text.allSatisfy(Self.isSpace) ? [] : text)
    }
    // White space alone may be all that stands between the tags.
    guard !held.allSatisfy(Self.isSpace) else { return [] }
    let kept =
      (1..<Self.closing.count).last { length in
        held.suffix(length).elementsEqual(Self.closing.prefix(length))
      } ?? 0
    let text = held.dropLast(kept)
    held = Array(held.suffix(kept))
    return Self.pieces(text)
  }

  private static func pieces(_ reasoning: ArraySlice<UInt8>) -> [Piece] {
    reasoning.isEmpty ? [] : [.reasoning(String(decoding: reasoning, as: UTF8.self))]
  }

  private mutating func rest(as piece: (String) -> Piece) -> [Piece] {
    defer { held = [] }
    return held.isEmpty ? [] : [piece(String(decoding: held, as: UTF8.self))]
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D) ~= byte }
}
