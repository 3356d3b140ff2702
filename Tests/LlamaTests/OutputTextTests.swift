import Testing

@testable import Llama

@Suite struct OutputTextTests {
  @Test func `text settles as it comes`() {
    var text = OutputText(stops: [])
    text.append(Array("Hello".utf8))
    #expect(settled(text) == "Hello")
  }

  @Test(arguments: ["é", "€", "🦊"])
  func `half a character is held back until it is whole`(character: String) {
    var text = OutputText(stops: [])
    text.append(Array("a".utf8))
    for byte in character.utf8 {
      #expect(settled(text) == "a")
      text.append([byte])
    }
    #expect(settled(text) == "a" + character)
  }

  @Test func `bytes that are no character are not held back for ever`() {
    var text = OutputText(stops: [])
    text.append([0x61, 0x80, 0x80, 0x80, 0x80])
    #expect(text.settled.count == 5)
  }

  @Test func `a stop ends the text, and what follows is not taken`() {
    var text = OutputText(stops: ["<end>"])
    text.append(Array("Hello<end> and more".utf8))
    #expect(text.isStopped)
    #expect(settled(text) == "Hello")
    text.append(Array("!".utf8))
    #expect(settled(text) == "Hello")
  }

  @Test func `a stop in pieces never shows`() {
    var text = OutputText(stops: ["<end>", "STOP"])
    for piece in ["Hello", "<", "e", "nd", ">"] {
      text.append(Array(piece.utf8))
      #expect(settled(text) == "Hello")
    }
    #expect(text.isStopped)
  }

  @Test func `the beginning of a stop shows when it turns out to be none`() {
    var text = OutputText(stops: ["<end>"])
    text.append(Array("a <e".utf8))
    #expect(settled(text) == "a ")
    text.append(Array("m>".utf8))
    #expect(settled(text) == "a <em>")
  }

  @Test func `the first of several stops counts`() {
    var text = OutputText(stops: ["two", "one", ""])
    text.append(Array("zero one two".utf8))
    #expect(settled(text) == "zero ")
  }

  private func settled(_ text: OutputText) -> String {
    String(decoding: text.settled, as: UTF8.self)
  }
}
