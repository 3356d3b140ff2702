import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A turn that fails` {
  typealias Policy = LanguageModelSession.TranscriptErrorHandlingPolicy

  private static let failing = Doing("fail") { _ in throw Mishap() }

  private func session(
    _ steps: ScriptedLanguageModel.Step = .call("fail"),
    policy: Policy? = nil
  ) -> LanguageModelSession {
    let requests = Requests()
    let profile = LanguageModelSession.Profile {
      Instructions("Rules.")
      Self.failing
    }
    .transcriptErrorHandlingPolicy(policy)
    .model(requests.model(.text("Hello."), steps, .text("Again.")))
    return LanguageModelSession(profile: profile)
  }

  private let before = ["instructions: Rules.", "prompt: Hi", "response: Hello."]

  @Test func `by a tool names the tool and what it threw`() async throws {
    let session = session()
    try await session.respond(to: "Hi")
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Fail")
    }
    #expect(error?.tool.name == "fail")
    #expect(error?.underlyingError as? Mishap == Mishap())
    #expect(!session.isResponding)
  }

  @Test(arguments: [ScriptedLanguageModel.Step.call("fail"), .failure(Mishap())])
  func `leaves the transcript as it was, and can be followed by another`(
    step: ScriptedLanguageModel.Step
  ) async throws {
    let session = session(step)
    try await session.respond(to: "Hi")
    await #expect(throws: (any Error).self) { try await session.respond(to: "Fail") }
    #expect(session.transcript.outline == before)
    #expect(try await session.respond(to: "Go on").content == "Again.")
    #expect(session.transcript.outline == before + ["prompt: Go on", "response: Again."])
  }

  @Test func `leaves the instructions alone in a new session`() async {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.failure(Mishap())),
      instructions: "Rules."
    )
    await #expect(throws: Mishap.self) { try await session.respond(to: "Fail") }
    #expect(session.transcript.outline == ["instructions: Rules."])
  }

  @Test func `keeps its entries when the profile says so`() async throws {
    let session = session(policy: .preserveTranscript)
    session.transcriptErrorHandlingPolicy = .revertTranscript
    try await session.respond(to: "Hi")
    await #expect(throws: (any Error).self) { try await session.respond(to: "Fail") }
    #expect(session.transcript.outline == before + ["prompt: Fail", "calls: fail{}"])
  }

  @Test func `keeps its entries when the session says so and the profile nothing`() async throws {
    let session = session()
    #expect(session.transcriptErrorHandlingPolicy == nil)
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    try await session.respond(to: "Hi")
    await #expect(throws: (any Error).self) { try await session.respond(to: "Fail") }
    #expect(session.transcript.outline == before + ["prompt: Fail", "calls: fail{}"])
  }

  @Test func `keeps what the other calls of the round returned`() async {
    let (other, host) = (Meeting(of: 1), RecordingHost())
    let late = Doing("late") { _ in
      await other.wait()
      return "late"
    }
    let failing = Doing("fail") { _ in
      other.come()
      throw Mishap()
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("fail"), .init("late")])),
      tools: [late, failing]
    )
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Go"))])
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.run(.prompt(prompt), host: host)
    }
    #expect(session.transcript.last?.outline == "output: late")
    #expect(host.log.lines.last == "record output: late")
  }

  @Test func `by an answer that breaks off says so`() async {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text(#"{"name": "A"#)))
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Who?", generating: Person.self)
    }
    #expect(error?.rawContent == #"{"name": "A"#)
    #expect(session.transcript.isEmpty)
  }
}
