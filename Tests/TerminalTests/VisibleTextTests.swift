import Testing

@testable import Terminal

@Suite struct `Text that is shown` {
  private static let invisibles = [
    // Override, isolate, zero-width space, joiner, tag, variation selector, filler, control.
    ("\u{202E}", #"\u{202E}"#), ("\u{2066}", #"\u{2066}"#), ("\u{200B}", #"\u{200B}"#),
    ("\u{200D}", #"\u{200D}"#), ("\u{E0061}", #"\u{E0061}"#), ("\u{FE0F}", #"\u{FE0F}"#),
    ("\u{3164}", #"\u{3164}"#), ("\u{9B}", #"\u{9B}"#), ("\n", #"\u{A}"#),
    ("\u{2028}", #"\u{2028}"#),
  ]

  @Test(arguments: invisibles)
  func `shows invisible characters`(character: String, number: String) {
    #expect("rm\(character)x".withInvisiblesShown == "rm\(number)x")
  }

  @Test(arguments: ["naïve", "日本", "שלום", "👍🏽", #"{"a": "\u202E"}"#, "two words"])
  func `leaves alone what is seen`(text: String) {
    #expect(text.withInvisiblesShown == text)
    #expect(text.forTerminal == text)
  }

  @Test func `keeps letters together for a terminal, and moves none about`() {
    #expect("می\u{200C}خواهم ❤\u{FE0F}\n\tx".forTerminal == "می\u{200C}خواهم ❤\u{FE0F}\n\tx")
    #expect("a\u{1B}[2m\u{202E}b\u{2069}c\r\n".forTerminal == "a[2m\\u{202E}b\\u{2069}c\n")
  }
}
