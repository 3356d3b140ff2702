import AgentKit
import Testing

/// The usage of sessions that an agent's own code runs is part of the agent's usage.
@Suite(.timeLimit(.minutes(5)))
struct `The usage of an agent's own sessions` {
  private let prompt = TurnStart.prompt(.init(segments: [.text(.init(content: "Go"))]))
  /// A session that the agent's code asks on its own.
  private let inner = LanguageModelSession(
    model: ScriptedLanguageModel { _ in .text("one two three") }
  )

  /// The moments at which an agent's code can ask a model.
  enum Moment: CaseIterable {
    case activation, prompt, reasoning, call, output, response, exit
  }

  private func profile(asking moment: Moment) -> some LanguageModelSession.DynamicProfile {
    let inner = inner
    @Sendable func ask(_ now: Moment) async {
      if now == moment { _ = try? await inner.respond(to: "Go") }
    }
    return LanguageModelSession.Profile { Plain() }
      .onActivate { await ask(.activation) }
      .onPrompt { await ask(.prompt) }
      .onReasoning { await ask(.reasoning) }
      .onToolCall { await ask(.call) }
      .onToolOutput { await ask(.output) }
      .onResponse { await ask(.response) }
      .onExit { _ in await ask(.exit) }
      .model(ScriptedLanguageModel(.call("plain"), .reasoned("Hm.", text: "Done.")))
  }

  @Test(arguments: Moment.allCases)
  func `is counted once in every hook, and told to the host`(moment: Moment) async throws {
    let host = RecordingHost()
    let session = LanguageModelSession(profile: profile(asking: moment))
    let outcome = try await session.run(prompt, host: host)
    let alone = LanguageModelSession(
      model: ScriptedLanguageModel(.call("plain"), .reasoned("Hm.", text: "Done.")),
      tools: [Plain()]
    )
    try await alone.respond(to: "Go")
    let used = inner.usage.totalTokenCount
    #expect(used > 0)
    #expect(host.log.lines.filter { $0.hasPrefix("count") } == ["count \(used)"])
    #expect(outcome.usage == session.usage)
    #expect(session.usage.totalTokenCount == alone.usage.totalTokenCount + used)
  }

  @Test func `is told before the next request is admitted`() async throws {
    let inner = inner
    let host = RecordingHost()
    let profile = LanguageModelSession.Profile {}
      .onPrompt { _ = try await inner.respond(to: "Go") }
      .model(ScriptedLanguageModel(.text("Ok")))
    _ = try await LanguageModelSession(profile: profile).run(prompt, host: host)
    #expect(
      host.log.lines.prefix(3) == [
        "record prompt: Go", "count \(inner.usage.totalTokenCount)", "admit",
      ]
    )
  }

  @Test func `is counted also of a turn that fails`() async {
    let inner = inner
    let host = RecordingHost()
    let profile = LanguageModelSession.Profile {}
      .onPrompt {
        _ = try await inner.respond(to: "Go")
        throw Mishap()
      }
      .model(ScriptedLanguageModel())
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: Mishap.self) { try await session.run(prompt, host: host) }
    #expect(session.usage == inner.usage)
    #expect(host.log.lines.last == "count \(inner.usage.totalTokenCount)")
  }

  @Test(arguments: [true, false])
  func `is told also of a tool that throws`(isFinal: Bool) async throws {
    let inner = inner
    let host = RecordingHost()
    let tool = Doing("ask") { _ in
      _ = try await inner.respond(to: "Go")
      if isFinal { throw FinalAnswer("42") }
      throw Mishap()
    }
    let model = ScriptedLanguageModel(.calls([.init("ask"), .init("plain")]))
    let session = LanguageModelSession(model: model, tools: [tool, Plain()])
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.run(prompt, host: host)
    }
    let used = inner.usage.totalTokenCount
    #expect(used > 0)
    let told = host.log.lines.filter { $0.hasPrefix("record output") || $0.hasPrefix("count") }
    #expect(told == ["record output: plain done", "count \(used)"])
    // The arguments of two calls count as two words.
    #expect(session.usage.output.totalTokenCount == inner.usage.output.totalTokenCount + 2)
  }

  @Test func `is counted once at every level, below hooks and tools alike`() async throws {
    let inner = inner
    let host = RecordingHost()
    let hooked = LanguageModelSession.Profile {}
      .onPrompt { _ = try await inner.respond(to: "Go") }
      .model(ScriptedLanguageModel(.text("four five")))
    let middle = LanguageModelSession(profile: hooked)
    let outer = LanguageModelSession(
      model: ScriptedLanguageModel(.call("ask"), .text("six")),
      tools: [Doing("ask") { _ in try await middle.respond(to: "Go").content }]
    )
    let outcome = try await outer.run(prompt, host: host)
    #expect(inner.usage.output.totalTokenCount == 3)
    #expect(middle.usage.output.totalTokenCount == 3 + 2)
    // The arguments of a call count as one word.
    #expect(outer.usage.output.totalTokenCount == 3 + 2 + 1 + 1)
    #expect(outcome.usage == outer.usage)
    let told = host.log.lines.filter { $0.hasPrefix("record output") || $0.hasPrefix("count") }
    #expect(told == ["record output: four five (\(middle.usage.totalTokenCount))"])
  }

  @Test func `is counted once where a hook runs a session with tools that run others`()
    async throws
  {
    let inner = inner
    let host = RecordingHost()
    let middle = LanguageModelSession(
      model: ScriptedLanguageModel(.call("ask"), .text("four five")),
      tools: [Doing("ask") { _ in try await inner.respond(to: "Go").content }]
    )
    let profile = LanguageModelSession.Profile {}
      .onResponse { _ = try await middle.respond(to: "Go") }
      .model(ScriptedLanguageModel(.text("six")))
    let outer = LanguageModelSession(profile: profile)
    let outcome = try await outer.run(prompt, host: host)
    #expect(middle.usage.output.totalTokenCount == 3 + 1 + 2)
    #expect(outer.usage.output.totalTokenCount == 3 + 1 + 2 + 1)
    #expect(outcome.usage == outer.usage)
    #expect(host.log.lines.last == "count \(middle.usage.totalTokenCount)")
  }

  @Test func `is an executor's own to say`() async throws {
    let inner = inner
    let host = RecordingHost()
    let model = DirectModel { channel in
      _ = try await inner.respond(to: "Go")
      await channel.send("Done.")
    }
    let session = LanguageModelSession(model: model)
    _ = try await session.run(prompt, host: host)
    #expect(inner.usage.totalTokenCount > 0)
    // Only the one token that it sent itself.
    #expect(session.usage.totalTokenCount == 1)
    #expect(!host.log.lines.contains { $0.hasPrefix("count") })
  }
}
