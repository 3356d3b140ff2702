import Testing

@testable import Terminal

@Suite struct `Lines of a text` {
  private static let ends = ["\n", "\r\n", "\r", "\u{2028}"]

  @Test(arguments: ends)
  func `stand further in than its beginning, whatever ends them`(end: String) {
    let text = "ok\(end)── answered\(end)\(end)person: no"
    #expect(
      text.indentedLines(behind: "  ") == ["  ok", "    ── answered", "    ", "    person: no"]
    )
  }

  @Test(arguments: ends)
  func `are put on one`(end: String) {
    #expect("one\(end)two\(end)".inOneLine == "one / two")
    #expect("  one".inOneLine == "  one")
  }
}
