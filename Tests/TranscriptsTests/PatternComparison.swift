import Testing

@testable import Transcripts

/// A comparison of a pattern's grammar with Swift's own matching.
enum PatternComparison {
  /// Compares on texts of the grammar, and on texts that differ from them in a character or two.
  static func compare(
    _ regex: Regex<AnyRegexOutput>,
    with terms: GrammarPattern,
    seed: UInt64
  ) throws {
    // By scalars, Swift 6.3 takes \w for less where a character beyond ASCII follows.
    let kept = try RegexReader.node(regex).text
    let whole =
      kept.contains("(?W")
      ? regex : try Regex(kept.replacing(#"\w"#, with: #"[\p{Alphabetic}\d_]"#))
    let meant = whole.matchingSemantics(.unicodeScalar).asciiOnlyDigits()
    let grammar = try WrittenGrammar(terms.grammar)
    var generator = Seeded(seed: seed)
    for _ in 0..<40 {
      let written = grammar.randomText(using: &generator)
      let text = try String(GeneratedContent(json: "\"\(written)\""))
      #expect(terms.matches(text), "\(text.debugDescription)")
      #expect(
        try meant.wholeMatch(in: text) != nil,
        "\(kept) allows \(text.debugDescription)"
      )
      for _ in 0..<4 {
        let other = Self.changed(text, using: &generator)
        #expect(terms.matches(other) == grammar.accepts(Self.inJSON(other)))
        #expect(
          try (meant.wholeMatch(in: other) != nil) == grammar.accepts(Self.inJSON(other)),
          "\(kept): \(other.debugDescription)"
        )
      }
    }
  }

  private static let others =
    Array(
      "aAbBcdkKſsSßẞéÉ½１٣09xz_-.,;()[]^&~\"\\/ \t\n\r\u{1}\u{B}\u{C}\u{1F}\u{7F}\u{85}\u{A0}"
        .unicodeScalars
    ) + Array("\u{2028}\u{3000}αΩЖ你😀\u{301}\u{200D}".unicodeScalars)

  private static func changed(_ text: String, using generator: inout Seeded) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      let index = Int.random(in: 0...scalars.count, using: &generator)
      let other = others.randomElement(using: &generator) ?? "a"
      switch Int.random(in: 0...2, using: &generator) {
      case 0 where index < scalars.count: scalars[index] = other
      case 1 where index < scalars.count: scalars.remove(at: index)
      default: scalars.insert(other, at: index)
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The text between the quotes of its shortest form in JSON.
  private static func inJSON(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": return "\\\(scalar)"
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      case "\u{8}": return "\\b"
      case "\u{C}": return "\\f"
      case _ where scalar.value < 0x20:
        return "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: return String(scalar)
      }
    }.reduce(into: "") { $0.unicodeScalars.append(contentsOf: $1.unicodeScalars) }
  }

  static func pattern(depth: Int, using generator: inout Seeded) -> String {
    let atoms = [
      "a", "b", "K", "é", "0", #"\d"#, #"\w"#, "[a-c]", "[^b]", ".", #"\""#, "[a-f&&[^b]]", #"\s"#,
      "(?:)", #"\p{Lu}"#,
    ]
    let signs = ["", "", "", "?", "*", "+", "{2}", "{1,2}", "*?"]
    let parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      var atom = atoms.randomElement(using: &generator) ?? "a"
      if depth > 0, Int.random(in: 0...2, using: &generator) == 0 {
        let opening = ["(", "(?:", "(?i:"].randomElement(using: &generator) ?? "("
        atom = opening + pattern(depth: depth - 1, using: &generator) + ")"
      }
      return atom + (signs.randomElement(using: &generator) ?? "")
    }
    let isChoice = Int.random(in: 0...3, using: &generator) == 0
    return parts.joined(separator: isChoice ? "|" : "")
  }
}
