import AgentKit
import Observation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A session that is observed` {
  private let log = Log()

  private func watch(_ name: String, _ read: () -> Void) {
    withObservationTracking {
      read()
    } onChange: { [log] in
      log.add(name)
    }
  }

  @Test func `tells when its transcript, its usage and its responding change`() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("Yes.")))
    watch("transcript") { _ = session.transcript }
    watch("responding") { _ = session.isResponding }
    watch("usage") { _ = session.usage }
    #expect(log.lines.isEmpty)
    try await session.respond(to: "Go")
    #expect(Set(log.lines) == ["transcript", "responding", "usage"])
  }

  @Test func `tells of an answer that grows`() async throws {
    let (first, second) = (Meeting(of: 1), Meeting(of: 1))
    let model = DirectModel { channel in
      await channel.send("One")
      await first.wait()
      await channel.send(" two")
    }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "Go")
    var texts: [String] = []
    for try await snapshot in stream {
      texts.append(session.transcript.last?.description ?? "")
      guard snapshot.content == "One" else { continue }
      watch("grown") { _ = session.transcript }
      first.come()
      second.come()
    }
    await second.wait()
    #expect(texts == ["One", "One two", "One two"])
    #expect(log.lines == ["grown"])
  }

  @Test func `tells of a property that is written, and not of another`() {
    let session = LanguageModelSession(model: ScriptedLanguageModel())
    watch("seen") { _ = session.properties.observedNote }
    session.properties.otherNote = "x"
    #expect(log.lines.isEmpty)
    session.properties.observedNote = "y"
    #expect(log.lines == ["seen"])
  }

  @Test func `tells of a history that is written`() {
    let session = LanguageModelSession(model: ScriptedLanguageModel())
    watch("history") { _ = session.properties.history }
    session.properties.history = [.said("A")]
    #expect(log.lines == ["history"])
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var observedNote: String = ""
  @SessionPropertyEntry fileprivate var otherNote: String = ""
}
