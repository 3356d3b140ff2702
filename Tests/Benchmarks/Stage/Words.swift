/// Text of a known length: words that are one token each in the stand-in's vocabulary.
enum Words {
  private static let words = [
    "time", "house", "water", "people", "number", "light", "story", "point", "world", "place",
    "paper", "river", "music", "table", "money", "night", "field", "group", "order", "power",
    "voice", "board", "ground", "letter", "mother", "friend", "garden", "window", "winter",
    "summer",
  ]

  /// Returns a text of this many tokens; another seed gives another text.
  static func text(tokens: Int, seed: UInt64 = 1) -> String {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<tokens).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return words[Int(state >> 33) % words.count]
    }.joined(separator: " ")
  }
}
