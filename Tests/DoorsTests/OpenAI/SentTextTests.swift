import Testing
import Transcripts

@testable import Doors

@Suite struct `A text that was sent` {
  private func change(_ kept: Int, _ added: String, entry: String = "e") -> TextChange {
    TextChange(entryID: entry, isReasoning: false, keptBytes: kept, added: added)
  }

  @Test func `goes on with what is appended, and ends with what is still missing`() {
    var text = SentText()
    #expect(text.apply(change(0, "Grüß")) == "Grüß")
    #expect(text.apply(change(6, " dich")) == " dich")
    #expect(text.complete("Grüß dich.") == ".")
    #expect(text.apply(change(0, "Next", entry: "f")) == "Next")
  }

  @Test func `is sent as a whole when its beginning was missed`() {
    var text = SentText()
    #expect(text.apply(change(8, "three")) == "")
    #expect(text.apply(change(13, " four")) == "")
    #expect(text.complete("One two three four") == "One two three four")
    #expect(text.apply(change(4, "x", entry: "f")) == "")
    #expect(text.apply(change(0, "Anew", entry: "f")) == "Anew")
  }

  @Test func `is not taken back, but held until it stands again`() {
    var text = SentText()
    #expect(text.apply(change(0, "One two")) == "One two")
    #expect(text.apply(change(4, "")) == "")
    #expect(text.apply(change(4, "tw")) == "")
    #expect(text.apply(change(6, "o three")) == " three")
    #expect(text.apply(change(13, "!")) == "!")
  }

  @Test func `is followed by the whole text where that is another`() {
    var text = SentText()
    #expect(text.apply(change(0, "One two")) == "One two")
    #expect(text.apply(change(0, "Three")) == "")
    #expect(text.complete("Three.") == "\n\nThree.")
  }

  @Test func `is continued by another worker that says the same`() {
    var text = SentText()
    #expect(text.apply(change(0, "One two", entry: "a")) == "One two")
    #expect(text.apply(change(0, "One", entry: "b")) == "")
    #expect(text.apply(change(3, " two three", entry: "b")) == " three")
    #expect(text.complete("One two three") == "")
  }

  @Test func `is followed by what another worker says instead`() {
    var text = SentText()
    #expect(text.apply(change(0, "One", entry: "a")) == "One")
    #expect(text.apply(change(0, "Another", entry: "b")) == "")
    #expect(text.complete("Another") == "\n\nAnother")
  }
}
