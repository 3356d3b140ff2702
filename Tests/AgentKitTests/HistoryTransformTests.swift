import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A history transform` {
  private func texts(_ request: LanguageModelExecutorGenerationRequest) -> [String] {
    request.transcript.map(\.text)
  }

  @Test func `changes what the model sees and nothing that is kept`() async throws {
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .historyTransform { entries in Array(entries.suffix(1)) }
      .model(requests.model(.text("One."), .text("Two.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "First")
    try await session.respond(to: "Second")
    #expect(requests.all.map(texts) == [["First"], ["Second"]])
    #expect(
      session.transcript.outline == [
        "instructions: Rules.", "prompt: First", "response: One.", "prompt: Second",
        "response: Two.",
      ]
    )
  }

  @Test func `sees entry zero, and the calls and outputs of the turn`() async throws {
    let (requests, log) = (Requests(), Log())
    let profile = LanguageModelSession.Profile {
      Instructions("Rules.")
      Plain()
    }
    .historyTransform { entries in
      log.add(entries.map { String($0.outline.prefix { $0 != ":" }) }.joined(separator: " "))
      return entries
    }
    .model(requests.model(.call("plain"), .text("Done.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["instructions prompt", "instructions prompt calls output"])
  }

  @Test func `is composed with others, the outermost first`() async throws {
    let requests = Requests()
    func adding(_ mark: String) -> ([Transcript.Entry]) -> [Transcript.Entry] {
      { $0 + [.prompt(.init(segments: [.text(.init(content: mark))]))] }
    }
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .historyTransform(adding("inner"))
      .historyTransform(adding("outer"))
      .model(requests.model(.text("Done.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(requests.all.map(texts) == [["Rules.", "Go", "outer", "inner"]])
  }
}
