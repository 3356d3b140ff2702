import Testing

@testable import Terminal

@Suite struct `A table` {
  @Test(arguments: [
    ("日本", "日本  1"), ("👍🏽", "👍🏽    1"), ("🇩🇪", "🇩🇪    1"), ("né", "né    1"),
    ("ne\u{301}", "ne\u{301}    1"), ("한글", "한글  1"), ("abcd", "abcd  1"),
  ])
  func `has columns as wide as a terminal shows them`(cell: String, line: String) {
    var table = TextTable(["NAME", "N"])
    table.add([cell, "1"])
    #expect(table.text == "NAME  N\n\(line)")
  }

  @Test func `has a line for each row, and shows all that is in it`() {
    var table = TextTable(["NAME", "N"])
    table.add(["  one\r\ntwo\n", "a\u{202E}b"])
    #expect(table.text == "NAME         N\n  one / two  a\\u{202E}b")
  }
}
