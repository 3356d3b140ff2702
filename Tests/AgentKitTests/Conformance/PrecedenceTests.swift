import AgentKit
import Testing

/// Apple's behavior: which setting wins if there are several.
@Suite(.timeLimit(.minutes(5)))
struct `The precedence of options` {
  private let requests = Requests()
  private var model: ScriptedLanguageModel { requests.model(.text("1"), .text("2")) }

  @Test func `a call site that requires calls beats a profile that disallows them`() async throws {
    let profile = LanguageModelSession.Profile { Plain() }.toolCallingMode(.disallowed)
      .model(model)
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go", options: .init(toolCallingMode: .required))
    #expect(requests.modes == [.required])
    #expect(requests.tools == [["plain"]])
  }

  @Test func `transforms accumulate too`() async throws {
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .historyTransform { $0 + [.said("inner")] }
      .historyTransform { $0 + [.said("outer")] }
      .model(model)
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(
      requests.all[0].outline == [
        "instructions: Rules.", "prompt: Go", "prompt: outer", "prompt: inner",
      ]
    )
  }

  @Test func `a profile's error policy beats the session's`() async throws {
    let profile = LanguageModelSession.Profile {}
      .transcriptErrorHandlingPolicy(.revertTranscript)
      .model(ScriptedLanguageModel(.failure(Mishap())))
    let session = LanguageModelSession(profile: profile)
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: Mishap.self) { try await session.respond(to: "Go") }
    #expect(session.transcript.isEmpty)
  }
}
