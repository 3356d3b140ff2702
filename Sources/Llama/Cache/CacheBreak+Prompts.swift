import AgentKit

extension CacheBreak {
  /// How many tokens of text are shown before and after the position.
  private static let shownBefore = 4
  private static let shownAfter = 8
  /// The end of an answer is often rendered a little differently once it becomes history.
  private static let unavoidable = 8

  /// Describes how a prompt diverges from what a sequence held; `nil` where too little is lost to be
  /// worth reporting.
  init?(
    leaving former: PromptSegments,
    of held: [Token],
    for segments: PromptSegments,
    of tokens: [Token],
    at place: Int,
    model: LlamaModel
  ) {
    let lost = held.count - place
    guard lost > Self.unavoidable else { return nil }
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
    self.init(
      token: place,
      lost: lost,
      cause: segments.difference(from: former),
      was: text(held),
      now: text(tokens)
    )
  }
}
