import Testing
import Transcripts

struct `The beginning of a text` {
  @Test func `is bounded by bytes, in whole characters of Unicode`() {
    #expect("short".beginning(bytes: 5) == "short")
    #expect("日本".beginning(bytes: 5) == "日")
    #expect("日本".beginning(bytes: 0).isEmpty)
    let combined = "e" + String(repeating: "\u{301}", count: 1000)
    #expect(combined.count == 1)
    #expect(combined.beginning(bytes: 64).utf8.count == 63)
  }
}
