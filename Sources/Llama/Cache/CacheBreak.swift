/// Where a prompt diverged from what the context held, so that the rest had to be recomputed.
package struct CacheBreak: Sendable, Equatable {
  /// The position of the first token that differs.
  package let token: Int
  /// The number of tokens that the context held after it.
  package let lost: Int
  package let cause: String
  /// The text around that position, before and now.
  package let was: String
  package let now: String

  /// How many tokens of text are shown before and after the position.
  private static let shownBefore = 4
  private static let shownAfter = 8
  /// The end of an answer is often rendered a little differently once it becomes history.
  private static let unavoidable = 8

  /// Fails where too little is lost to be worth reporting.
  init?(
    leaving former: Outline,
    of held: [Token],
    for outline: Outline,
    of tokens: [Token],
    at place: Int,
    model: LlamaModel
  ) {
    lost = held.count - place
    guard lost > Self.unavoidable else { return nil }
    token = place
    cause = outline.difference(from: former)
    func text(_ tokens: [Token]) -> String {
      let shown = tokens[max(0, min(place, tokens.count) - Self.shownBefore)...]
        .prefix(Self.shownBefore + Self.shownAfter)
      // Every cell of an image has its own name; the image is shown once.
      var isImage = false
      let bytes = shown.flatMap { token -> [UInt8] in
        defer { isImage = token < 0 }
        guard token < 0 else { return model.piece(of: token, showingControl: true) }
        return isImage ? [] : Array("[image]".utf8)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    was = text(held)
    now = text(tokens)
  }
}
