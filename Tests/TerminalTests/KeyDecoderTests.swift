import Testing

@testable import Terminal

@Suite struct `A decoder of keys` {
  @Test(arguments: [
    ("q", [Key.character("q")]), ("\r", [.enter]), ("\u{7F}", [.backspace]),
    ("\u{1B}", [.escape]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~", [.pageUp]),
    ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]),
    ("jj\u{1B}[Bq", [.character("j"), .character("j"), .down, .character("q")]),
    ("é日", [.character("é"), .character("日")]),
    // Keys without a meaning here: a function key, a shifted arrow, Ctrl-L.
    ("\u{1B}[15~x\u{1B}[1;2A\u{0C}y", [.character("x"), .character("y")]),
  ])
  func `finds what a terminal sends for them`(sent: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(in: Array(sent.utf8)) == keys)
  }

  @Test func `waits for the rest of one that comes in pieces`() {
    var decoder = KeyDecoder()
    let bytes = Array("\u{1B}[5~日q".utf8)
    // After the escape itself: alone, it is a key.
    let pieces = [Array(bytes[..<2])] + bytes[2...].map { [$0] }
    #expect(pieces.flatMap { decoder.keys(in: $0) } == [.pageUp, .character("日"), .character("q")])
  }

  @Test func `survives what is no key`() {
    var decoder = KeyDecoder()
    _ = decoder.keys(
      in: [0x1B, UInt8(ascii: "[")] + Array(repeating: UInt8(ascii: "1"), count: 99)
    )
    _ = decoder.keys(in: [0xFF, 0xC3, 0x28])
    #expect(decoder.keys(in: Array("q".utf8)).last == .character("q"))
  }
}
