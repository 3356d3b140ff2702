import AgentKit
import Testing

/// Apple's behavior: which setting wins if there are several.
@Suite(.timeLimit(.minutes(5)))
struct `The precedence of options` {
  private let requests = Requests()
  private var model: ScriptedLanguageModel { requests.model(.text("1"), .text("2")) }

  @Test func `the call site beats the innermost modifier, which beats outer ones`() async throws {
    let profile = LanguageModelSession.Profile { Plain() }
      .temperature(0.1).toolCallingMode(.required).model(model)
      .temperature(0.9).toolCallingMode(.allowed).maximumResponseTokens(7)
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go", options: .init(toolCallingMode: .disallowed))
    let options = requests.all[0].generationOptions
    #expect(options.temperature == 0.1)
    #expect(options.toolCallingMode == .disallowed)
    #expect(options.maximumResponseTokens == 7)
    #expect(requests.tools == [[]])
  }

  @Test func `a call site that requires calls beats a profile that disallows them`() async throws {
    let profile = LanguageModelSession.Profile { Plain() }.toolCallingMode(.disallowed)
      .model(model)
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go", options: .init(toolCallingMode: .required))
    #expect(requests.modes == [.required])
    #expect(requests.tools == [["plain"]])
  }

  @Test func `precedence is by field: an option that is not set leaves the profile's`() async throws
  {
    let profile = LanguageModelSession.Profile {}.temperature(0.3).reasoningLevel(.deep)
      .samplingMode(.greedy).model(model)
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go", options: .init(maximumResponseTokens: 5))
    #expect(requests.all[0].generationOptions.temperature == 0.3)
    #expect(requests.all[0].generationOptions.samplingMode == .greedy)
    #expect(requests.all[0].generationOptions.maximumResponseTokens == 5)
    #expect(requests.all[0].contextOptions.reasoningLevel == .deep)
  }

  @Test func `nil sets nothing, so that the outer value applies`() async throws {
    let profile = LanguageModelSession.Profile {}.temperature(nil).temperature(0.5).model(model)
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(requests.all[0].generationOptions.temperature == 0.5)
  }

  @Test func `callbacks accumulate, and the one that was written last runs first`() async throws {
    let log = Log()
    let profile = LanguageModelSession.Profile {}
      .onPrompt { log.add("inner") }
      .onPrompt { log.add("outer") }
      .model(model)
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["outer", "inner"])
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
