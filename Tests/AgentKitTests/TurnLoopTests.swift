import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `The turn loop` {
  @Test func `lets what is said at the call win over the profile, field by field`() async throws {
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .toolCallingMode(.required).temperature(0.2).maximumResponseTokens(9)
      .reasoningLevel(.light).model(requests.model(.text("One."), .text("Two.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(
      to: "Go",
      options: GenerationOptions(temperature: 0.7, toolCallingMode: .disallowed),
      contextOptions: ContextOptions(reasoningLevel: .deep)
    )
    let first = try #require(requests.all.first)
    #expect(
      first.generationOptions
        == GenerationOptions(
          temperature: 0.7,
          maximumResponseTokens: 9,
          toolCallingMode: .disallowed
        )
    )
    #expect(first.contextOptions.reasoningLevel == .deep)
    #expect(first.enabledToolDefinitions.isEmpty)

    try await session.respond(to: "Go", options: GenerationOptions(toolCallingMode: .allowed))
    let second = try #require(requests.all.last)
    #expect(second.generationOptions.temperature == 0.2)
    #expect(second.generationOptions.toolCallingMode == .allowed)
    #expect(second.contextOptions.reasoningLevel == .light)
  }

  @Test func `sums what all rounds used`() async throws {
    let requests = Requests()
    let model = requests.model(.call("plain"), .text("It is done."), .text("Yes."))
    let session = LanguageModelSession(model: model, tools: [Plain()], instructions: "Be brief.")
    // The scripted model counts words, and has cached all but the last entry.
    let first = try await session.respond(to: "Go on then").usage
    #expect(first.input == .init(totalTokenCount: 5 + 8, cachedTokenCount: 2 + 6))
    #expect(first.output == .init(totalTokenCount: 1 + 3, reasoningTokenCount: 0))
    let second = try await session.respond(to: "Sure?").usage
    #expect(second.output.totalTokenCount == 1)
    #expect(session.usage.totalTokenCount == first.totalTokenCount + second.totalTokenCount)
  }

  @Test(arguments: [
    ("So far", GenerationOptions.ToolCallingMode.allowed, TurnExit.answered),
    (" \n", .allowed, .cap("maximumResponseTokens")),
    ("So far", .required, .cap("maximumResponseTokens")),
  ])
  func `ends at the agent's own bound where that left room for nothing of use`(
    text: String,
    mode: GenerationOptions.ToolCallingMode,
    exit: TurnExit
  ) async throws {
    let model = DirectModel { channel in
      await channel.send(text)
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: 3, cachedTokenCount: 0),
            output: .init(totalTokenCount: 5, reasoningTokenCount: 0)
          )
        )
      )
    }
    let session = LanguageModelSession(model: model, tools: [Plain()])
    var options = GenerationOptions(maximumResponseTokens: 5, toolCallingMode: mode)
    #expect(try await session.respond(to: "Go", options: options).exit == exit)
    options.maximumResponseTokens = 6
    #expect(try await session.respond(to: "Go", options: options).exit == .answered)
  }

  @Test func `continues a conversation from its history or its transcript`() async throws {
    let requests = Requests()
    let model = requests.model(.text("One."), .text("Two."), .text("Three."))
    let first = LanguageModelSession(model: model, instructions: "Rules.")
    #expect(first.transcript.outline == ["instructions: Rules."])
    try await first.respond(to: "A")
    let second = LanguageModelSession(model: model, transcript: first.transcript)
    try await second.respond(to: "B")
    let profile = LanguageModelSession.Profile { Instructions("Other.") }.model(model)
    let third = LanguageModelSession(profile: profile, history: second.transcript)
    try await third.respond(to: "C")
    #expect(
      requests.all.map { $0.transcript.map(\.text) } == [
        ["Rules.", "A"], ["Rules.", "A", "One.", "B"],
        ["Other.", "A", "One.", "B", "Two.", "C"],
      ]
    )
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry var calls: Int = 0
  @SessionPropertyEntry var holder: String = "planner"
}
