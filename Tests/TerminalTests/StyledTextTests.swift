import Testing

@testable import Terminal

@Suite struct `Text with styles` {
  @Test func `is rendered with them, or without`() {
    var text = StyledText("a ")
    text.append("b", [.bold, .red])
    #expect(text.rendered(isStyled: true) == "a \u{1B}[1;31mb\u{1B}[0m")
    #expect(text.rendered(isStyled: false) == "a b")
  }

  @Test(arguments: [true, false])
  func `controls the terminal by nothing but its styles`(isStyled: Bool) {
    let rendered = StyledText("\u{1B}[2Ja\u{9B}\u{7}\u{202E}b", .green).rendered(isStyled: isStyled)
    let shown = "[2Ja\\u{202E}b"
    #expect(rendered == (isStyled ? "\u{1B}[32m\(shown)\u{1B}[0m" : shown))
  }

  @Test(arguments: [
    (4, "abcd"), (3, "ab…"), (1, "…"), (0, "…"),
  ])
  func `is cut where its columns end`(columns: Int, shown: String) {
    var text = StyledText("ab")
    text.append("cd", .bold)
    #expect(text.fitted(to: columns).text == shown)
  }

  @Test func `is not cut in the middle of a wide character`() {
    #expect(StyledText("a日本").fitted(to: 3).text == "a…")
    #expect(StyledText("a日本").fitted(to: 4).text == "a日…")
  }

  @Test(arguments: [
    (ColorChoice.auto, true, [:], true), (.auto, false, [:], false),
    (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
    (.auto, true, ["TERM": "dumb"], false), (.always, false, ["NO_COLOR": "1"], true),
    (.never, true, [:], false),
  ])
  func `has styles where a person wants them`(
    choice: ColorChoice,
    isTerminal: Bool,
    environment: [String: String],
    isStyled: Bool
  ) {
    #expect(choice.isStyled(isTerminal: isTerminal, environment) == isStyled)
  }

  @Test func `stands in columns of a table by its text alone`() {
    var table = TextTable(["A", "B"])
    table.add(["x", "y"], styles: [0: .red])
    table.add(["long", ""])
    let lines = table.lines.map { $0.rendered(isStyled: true) }
    #expect(lines == ["A     B", "\u{1B}[31mx\u{1B}[0m     y", "long"])
  }
}
