import AgentKit
import Testing

/// The usage of friends is part of their callers' usage.
@Suite(.timeLimit(.minutes(5)))
struct `The usage of friends` {
  private static let used = LanguageModelSession.Usage(
    input: .init(totalTokenCount: 1000, cachedTokenCount: 400),
    output: .init(totalTokenCount: 100, reasoningTokenCount: 0)
  )

  private let phone = PhoneAFriend("title", name: "phone", description: "Asks.")

  /// Runs a turn that asks a friend, and returns the usage of the session and of the response.
  private func usage(
    _ answer: FriendAnswer,
    calls: Int = 1
  ) async throws -> (session: LanguageModelSession.Usage, response: LanguageModelSession.Usage) {
    let call = ScriptedLanguageModel.Call("phone", #"{"question": "why"}"#)
    let model = ScriptedLanguageModel(
      .calls(Array(repeating: call, count: calls)),
      .text("Because.")
    )
    let session = LanguageModelSession(model: model, tools: [phone])
    let response = try await OrchestrationContext.$current.withValue(
      FakeOrchestration(answer: answer)
    ) { try await session.respond(to: "Go") }
    return (session.usage, response.usage)
  }

  @Test func `is counted once for each friend, in the response and in the session`()
    async throws
  {
    let alone = try await usage(.answered("So."))
    let answer = FriendAnswer("So.", exit: .answered, usage: Self.used)
    for calls in [1, 3] {
      let used = try await usage(answer, calls: calls)
      let plain = try await usage(.answered("So."), calls: calls)
      #expect(used.session == used.response)
      #expect(used.response.totalTokenCount == plain.response.totalTokenCount + calls * 1100)
      #expect(
        used.response.input.cachedTokenCount == plain.response.input.cachedTokenCount + calls * 400
      )
    }
    #expect(alone.response.totalTokenCount < 100)
  }

  @Test func `is counted also when the friend died`() async throws {
    let answer = FriendAnswer(nil, exit: .failed("signal 9"), usage: Self.used)
    #expect(try await usage(answer).response.output.totalTokenCount > 100)
  }

  @Test func `is counted also when the tool that asked it throws`() async throws {
    let phone = phone
    let asking = Doing("ask") { _ in
      _ = try await phone.call(arguments: GeneratedContent(properties: ["question": "why"]))
      throw Mishap()
    }
    let session = LanguageModelSession(model: ScriptedLanguageModel(.call("ask")), tools: [asking])
    let answer = FriendAnswer("So.", exit: .answered, usage: Self.used)
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await OrchestrationContext.$current.withValue(FakeOrchestration(answer: answer)) {
        try await session.respond(to: "Go")
      }
    }
    #expect(session.usage.output.totalTokenCount > 100)
  }

  @Test func `is told to the host with the output of a tool that asks by itself, and else not`()
    async throws
  {
    let inner = LanguageModelSession(model: ScriptedLanguageModel(.text("one two three")))
    let phone = phone
    let asking = Doing("ask") { _ in
      _ = try await phone.call(arguments: GeneratedContent(properties: ["question": "why"]))
      return try await inner.respond(to: "Go").content
    }
    let model = ScriptedLanguageModel(.calls([.init("ask"), .init("plain")]), .text("Done."))
    let session = LanguageModelSession(model: model, tools: [asking, Plain()])
    let host = RecordingHost()
    let answer = FriendAnswer("So.", exit: .answered, usage: Self.used)
    let prompt = TurnStart.prompt(.init(segments: [.text(.init(content: "Go"))]))
    let outcome = try await OrchestrationContext.$current.withValue(
      FakeOrchestration(answer: answer)
    ) { try await session.run(prompt, host: host) }
    let used = inner.usage.totalTokenCount
    #expect(used < 10)
    #expect(
      host.log.lines.filter { $0.hasPrefix("record output") } == [
        "record output: one two three (\(used))", "record output: plain done",
      ]
    )
    #expect(outcome.usage.totalTokenCount > used + Self.used.totalTokenCount)
    #expect(outcome.usage == session.usage)
  }

  @Test func `that are sessions of a tool is counted as well, at every level once`() async throws {
    let inner = LanguageModelSession(model: ScriptedLanguageModel(.text("one two three")))
    let middle = LanguageModelSession(
      model: ScriptedLanguageModel(.call("ask"), .text("four five")),
      tools: [Doing("ask") { _ in try await inner.respond(to: "Go").content }]
    )
    let outer = LanguageModelSession(
      model: ScriptedLanguageModel(.call("ask"), .text("six")),
      tools: [Doing("ask") { _ in try await middle.respond(to: "Go").content }]
    )
    let response = try await outer.respond(to: "Go")
    // The arguments of a call count as one word.
    #expect(inner.usage.output.totalTokenCount == 3)
    #expect(middle.usage.output.totalTokenCount == 3 + 1 + 2)
    #expect(outer.usage.output.totalTokenCount == 3 + 1 + 2 + 1 + 1)
    #expect(response.usage == outer.usage)
  }
}
