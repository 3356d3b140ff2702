import AgentKit
import Testing

@Suite struct `A transcript's history` {
  private func entry(_ id: String) -> Transcript.Entry {
    .prompt(.init(id: id, segments: [.text(.init(id: id, content: id))]))
  }

  private func instructions(_ id: String = "i") -> Transcript.Entry {
    .instructions(.init(id: id, segments: [], toolDefinitions: []))
  }

  private func entries(_ ids: String) -> [Transcript.Entry] { ids.map { entry(String($0)) } }

  private func ids(_ history: some Collection<Transcript.Entry>) -> String {
    history.map(\.id).joined()
  }

  @Test func `leaves out the leading instructions and no others`() {
    let transcript = Transcript(entries: [instructions(), entry("a"), instructions("j")])
    #expect(ids(transcript.history) == "aj")
    #expect(ids(Transcript(entries: entries("ab")).history) == "ab")
  }

  @Test func `replaces everything but the leading instructions`() {
    var transcript = Transcript(entries: [instructions()] + entries("abc"))
    transcript.history = [entry("x")]
    #expect(ids(transcript) == "ix")
    transcript.history = []
    #expect(ids(transcript) == "i")
  }

  @Test func `has instructions at its front for the leading ones where none precede them`() {
    var transcript = Transcript(entries: entries("ab"))
    transcript.history = [instructions("j"), entry("c")]
    #expect(ids(transcript) == "jc")
    #expect(ids(transcript.history) == "c")
    transcript[0] = entry("d")
    #expect(ids(transcript.history) == "dc")
    transcript.insert(instructions(), at: 0)
    #expect(ids(transcript.history) == "dc")
    transcript.remove(at: 0)
    transcript[1] = instructions("k")
    transcript.remove(at: 0)
    #expect(ids(transcript) == "k")
    #expect(transcript.history.isEmpty)
    #expect(transcript == Transcript(entries: [instructions("k")]))
  }

  @Test func `takes every documented spelling`() {
    var transcript = Transcript(entries: [instructions()] + entries("abcdef"))
    transcript.history = transcript.history.suffix(5)
    #expect(ids(transcript) == "ibcdef")
    transcript.history.append(entry("g"))
    transcript.history.append(contentsOf: entries("hi"))
    #expect(ids(transcript) == "ibcdefghi")
    transcript.history += entries("j")
    transcript.history.removeAll { $0.id == "c" }
    #expect(ids(transcript) == "ibdefghij")

    let index = transcript.history.lastIndex { $0.id == "f" } ?? transcript.history.startIndex
    transcript.history =
      transcript.history.prefix(upTo: index).filter { $0.id != "d" }
      + transcript.history.suffix(from: index)
    #expect(ids(transcript) == "ibefghij")
    transcript.history = transcript.history[index...]
    #expect(ids(transcript) == "ighij")
    transcript.history = [.prompt(.init(id: "z", segments: []))]
    transcript.history = Transcript.HistoryView(transcript.history.reversed() + entries("y"))
    #expect(ids(transcript) == "izy")
  }

  @Test func `has the places of the whole in its parts`() throws {
    let history = Transcript.HistoryView(entries("abcdef"))
    let tail = history.suffix(3)
    #expect(ids(tail) == "def")
    #expect(tail[tail.startIndex].id == "d")
    #expect(history[tail.startIndex].id == "d")
    let inner = tail.dropFirst().prefix(1)
    #expect(ids(inner) == "e")
    #expect(history.distance(from: history.startIndex, to: inner.startIndex) == 4)
    #expect(tail.firstIndex { $0.id == "f" } == history.firstIndex { $0.id == "f" })
  }

  @Test func `is changed in its parts at the right places`() {
    var tail = Transcript.HistoryView(entries("abcdef")).suffix(3)
    tail.removeFirst()
    tail[tail.startIndex] = entry("E")
    tail.insert(entry("x"), at: tail.endIndex)
    #expect(ids(tail) == "Efx")
    tail.removeSubrange(tail.startIndex..<tail.index(after: tail.startIndex))
    #expect(ids(tail) == "fx")
  }

  @Test func `is not changed by a change of its parts`() {
    let history = Transcript.HistoryView(entries("abc"))
    var part = history.prefix(2)
    part.removeAll()
    #expect(ids(history) == "abc")
    #expect(part.isEmpty)
  }
}
