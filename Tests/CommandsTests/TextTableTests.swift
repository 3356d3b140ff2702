import Testing

@testable import Commands

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

  private static var wide: TextTable {
    var table = TextTable(
      ["PID", "AGENT", "MODEL"],
      shortening: ["AGENT", "MODEL"],
      paths: ["MODEL"]
    )
    table.add(["123456", "crane", "/models/a-very-long-name-of-a-model.gguf"])
    return table
  }

  @Test(arguments: [nil, 55, 1000] as [Int?])
  func `is left as it is where there is room for it`(width: Int?) {
    #expect(Self.wide.fitting(width).text == Self.wide.text)
  }

  @Test(arguments: [
    // The folders go first, then the end of the name, and at most so much of it.
    (54, "a-very-long-name-of-a-model.gguf"), (47, "a-very-long-name-of-a-model.gguf"),
    (46, "a-very-long-name-of-a-model.gg…"), (40, "a-very-long-name-of-a-mo…"),
    (1, "a-very-long…"),
  ])
  func `shows less of a long path in a narrow terminal`(width: Int, model: String) {
    let line = "123456  crane  \(model)"
    #expect(Self.wide.fitting(width).text == "PID     AGENT  MODEL\n\(line)")
  }

  @Test(arguments: [(84, 20), (80, 18), (1, 12)])
  func `shortens its widest names, and no number`(width: Int, limit: Int) {
    let number = String(repeating: "7", count: 40)
    var table = TextTable(["A", "B", "N"], shortening: ["A", "B"])
    table.add([String(repeating: "a", count: 20), String(repeating: "b", count: 30), number])
    let cells = table.fitting(width).text.split(separator: "\n").last?.split(separator: " ") ?? []
    #expect(cells.map(\.count) == [limit, limit, 40])
    #expect(cells.last == Substring(number))
  }

  @Test func `shortens wide characters to what a terminal shows in its columns`() {
    #expect("日本日本日本日本".shortened(to: 12) == "日本日本日…")
    #expect("日本日本日本".shortened(to: 12) == "日本日本日本")
  }
}
