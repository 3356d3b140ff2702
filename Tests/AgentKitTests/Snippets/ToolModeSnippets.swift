import AgentKit
import Testing

/// The WWDC26 page's snippets about tool calls and about what happens to a transcript.
@Suite(.timeLimit(.minutes(5)))
struct `Snippets of tool calls and transcripts` {
  private let requests = Requests()

  @Test func `13 a mode is a modifier of a profile, or an option of a request`() async throws {
    let call = ScriptedLanguageModel.Step.call("read_almanac", #"{"plant": "Peas"}"#)
    let session = LanguageModelSession(profile: AlmanacProfile(model: requests.model(call, call)))
    // Without an exit, the loop continues until something fails: here, the script ends.
    await #expect(throws: Requests.TooManyRequests.self) {
      try await session.respond(to: "When are peas sown?")
    }
    #expect(requests.modes == [.required, .required, .required])

    let plain = Requests()
    let other = LanguageModelSession(
      model: plain.model(call, .text("March.")),
      tools: [ReadAlmanac()]
    )
    try await other.respond(
      to: "When are peas sown?",
      options: GenerationOptions(toolCallingMode: .required)
    )
    #expect(plain.modes == [.required, .required])
  }

  @Test func `14 a variable ends the loop of required calls`() async throws {
    let desk = GardenDesk(
      near: requests.model(.call("read_almanac", #"{"plant": "Peas"}"#), .text("In March."))
    )
    let session = LanguageModelSession(profile: LookingUpProfile(desk: desk))
    #expect(try await session.respond(to: "When are peas sown?").content == "In March.")
    #expect(requests.modes == [.required, .disallowed])
    #expect(requests.tools == [["read_almanac"], []])
  }

  @Test func `15 a tool that throws ends the loop, and keeps the answer`() async throws {
    let answer = FinalWord()
    let session = LanguageModelSession(
      model: requests.model(
        .call("read_almanac", #"{"plant": "Peas"}"#),
        .call("final_word", #"{"answer": "Sow in March."}"#)
      ),
      tools: [ReadAlmanac(), answer]
    )
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(
        to: "When are peas sown?",
        options: GenerationOptions(toolCallingMode: .required)
      )
    }
    #expect(error?.underlyingError is CancellationError)
    #expect(await answer.output == "Sow in March.")
    #expect(session.transcript.outline == ["instructions: "])
  }

  @Test func `16 a policy keeps the transcript of a turn that failed`() async throws {
    let failing = Doing("dig") { _ in throw Mishap() }
    let byProfile = LanguageModelSession(
      profile: LanguageModelSession.Profile {
        Instructions("You dig.")
        failing
      }
      .transcriptErrorHandlingPolicy(.preserveTranscript)
      .model(ScriptedLanguageModel(.call("dig")))
    )
    await #expect(throws: (any Error).self) { try await byProfile.respond(to: "Go") }
    #expect(
      byProfile.transcript.outline == ["instructions: You dig.", "prompt: Go", "calls: dig{}"]
    )

    let bySession = LanguageModelSession(
      model: ScriptedLanguageModel(.call("dig")),
      tools: [failing]
    )
    bySession.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: (any Error).self) { try await bySession.respond(to: "Go") }
    #expect(bySession.transcript.outline == ["instructions: ", "prompt: Go", "calls: dig{}"])
  }

  @Test func `17 a transcript is set while the session is idle`() async throws {
    let session = LanguageModelSession(
      model: requests.model(.call("dig"), .text("Done.")),
      tools: [Doing("dig") { _ in throw Mishap() }]
    )
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
    #expect(!session.isResponding)
    // What was left open is repaired before the next prompt.
    session.transcript.removeAll { if case .toolCalls = $0 { true } else { false } }
    try await session.respond(to: "Once more")
    #expect(
      session.transcript.outline == [
        "instructions: ", "prompt: Go", "prompt: Once more", "response: Done.",
      ]
    )
  }
}

private struct AlmanacProfile: LanguageModelSession.DynamicProfile {
  var model: ScriptedLanguageModel

  var body: some LanguageModelSession.DynamicProfile {
    Profile {
      Instructions("You know the almanac.")
      ReadAlmanac()
      NameTheBed()
    }
    .toolCallingMode(.required)
    .model(model)
  }
}

private struct LookingUpProfile: LanguageModelSession.DynamicProfile {
  let desk: GardenDesk

  var body: some LanguageModelSession.DynamicProfile {
    Profile {
      Instructions("You answer from the almanac.")
      ReadAlmanac()
    }
    .toolCallingMode(desk.hasLookedUp ? .disallowed : .required)
    .onToolCall { desk.hasLookedUp = true }
    .model(desk.nearModel)
  }
}

private actor FinalWord: Tool {
  let name = "final_word"
  let description = "Gives the final answer."
  var output: String?

  @Generable struct Arguments {
    var answer: String
  }

  func call(arguments: Arguments) async throws -> Never {
    output = arguments.answer
    throw CancellationError()
  }
}
