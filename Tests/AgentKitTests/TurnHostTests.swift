import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `The host of a turn` {
  private let prompt = TurnStart.prompt(.init(segments: [.text(.init(content: "Go"))]))

  private func outputs(_ host: RecordingHost) -> [String] {
    host.log.lines.filter { $0.hasPrefix("record output") }
  }

  /// A profile whose model makes two calls at once; hooks and the tool log what they see.
  private func acting(_ log: Log) -> some LanguageModelSession.DynamicProfile {
    let tool = Doing("act") { name in
      log.add(name)
      return "acted \(name)"
    }
    return LanguageModelSession.Profile { tool }
      .onToolCall { log.add("hook \($0.arguments.jsonString)") }
      .model(
        ScriptedLanguageModel(
          .calls([.init("act", #"{"x": "a"}"#), .init("act", #"{"x": "b"}"#)]),
          .text("Done.")
        )
      )
  }

  @Test func `hears of each step before its effect`() async throws {
    let host = RecordingHost()
    let tool = Doing("act") { _ in
      host.log.add("act")
      return "acted"
    }
    let model = ScriptedLanguageModel { request in
      host.log.add("request")
      return request.transcript.count < 3 ? .call("act") : .text("Ok")
    }
    let session = LanguageModelSession(model: model, tools: [tool])
    let outcome = try await session.run(prompt, host: host)
    #expect(
      host.log.lines == [
        "record prompt: Go", "admit", "request", "record calls: act{} (2)", "act",
        "record output: acted", "continues", "admit", "request", "show O", "show k",
        "record response: Ok (4)",
      ]
    )
    #expect(outcome.exit == .answered)
    #expect(outcome.entries.map(\.outline) == ["calls: act{}", "output: acted", "response: Ok"])
    #expect(outcome.usage.totalTokenCount == 6)
  }

  @Test func `records reasoning together with the answer, unless a hook acts on it`()
    async throws
  {
    let plain = RecordingHost()
    let model = ScriptedLanguageModel(.reasoned("Hm.", text: "Ok"))
    let profile = LanguageModelSession.Profile {}.model(model)
    _ = try await LanguageModelSession(profile: profile).run(prompt, host: plain)
    #expect(plain.log.lines.last?.hasPrefix("record reasoning: Hm. + response: Ok (") == true)

    let hooked = RecordingHost()
    let hook = LanguageModelSession.Profile {}.model(
      ScriptedLanguageModel(.reasoned("Hm.", text: "Ok"))
    )
    .onReasoning { _ in hooked.log.add("hook") }
    _ = try await LanguageModelSession(profile: hook).run(prompt, host: hooked)
    let lines = hooked.log.lines.suffix(3)
    #expect(lines.prefix(2) == ["record reasoning: Hm.", "hook"])
    #expect(lines.last?.hasPrefix("record response: Ok (") == true)
  }

  @Test func `has recorded an output before an agent's own code sees it`() async throws {
    let host = RecordingHost()
    let tool = Doing("act") { _ in "acted" }
    let profile = LanguageModelSession.Profile { tool }
      .onToolOutput { _, _ in host.log.add("hook") }
      .historyTransform { entries in
        host.log.add("transform")
        return entries
      }
      .model(ScriptedLanguageModel(.call("act"), .text("Ok")))
    _ = try await LanguageModelSession(profile: profile).run(prompt, host: host)
    let output = try #require(host.log.lines.firstIndex(of: "record output: acted"))
    #expect(
      host.log.lines[(output + 1)...].prefix(4) == ["hook", "continues", "admit", "transform"]
    )
  }

  @Test func `withholds tools for the last answer and bounds its tokens`() async throws {
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .toolCallingMode(.required).maximumResponseTokens(50)
      .model(requests.model(.call("plain"), .text("Enough.")))
    let host = RecordingHost(admission: { round in
      round < 2 ? .go(maximumTokens: 90) : .lastAnswer(cap: "rounds", maximumTokens: 20)
    })
    let outcome = try await LanguageModelSession(profile: profile).run(prompt, host: host)
    #expect(requests.modes == [.required, .disallowed])
    #expect(requests.tools == [["plain"], []])
    #expect(requests.all.map { $0.withheldToolDefinitions.map(\.name) } == [[], ["plain"]])
    #expect(requests.all.map(\.generationOptions.maximumResponseTokens) == [50, 20])
    #expect(outcome.response?.segments.joinedText == "Enough.")
    #expect(outcome.exit == .cap("rounds"))
  }

  @Test func `disallows nothing for the last answer where there are no tools`() async throws {
    let requests = Requests()
    let profile = LanguageModelSession.Profile {}.model(requests.model(.text("Enough.")))
    let host = RecordingHost(admission: { _ in .lastAnswer(cap: "rounds", maximumTokens: 20) })
    let outcome = try await LanguageModelSession(profile: profile).run(prompt, host: host)
    #expect(requests.modes == [.allowed])
    #expect(requests.all.map(\.generationOptions.maximumResponseTokens) == [20])
    #expect(outcome.exit == .cap("rounds"))
  }

  @Test(arguments: [(0, 0), (1, 1), (-1, 0)])
  func `admits the first calls of a round, and the model hears of the others`(
    admitted: Int,
    run: Int
  ) async throws {
    let log = Log()
    let host = RecordingHost(admittedCalls: admitted)
    _ = try await LanguageModelSession(profile: acting(log)).run(prompt, host: host)
    #expect(log.lines == (run == 1 ? [#"hook {"x": "a"}"#, "a"] : []))
    let refused =
      #"record output: {"status": "cap_reached", "tool": "act", "#
      + #""reason": "It was not called: the cap on calls is reached."}"#
    let first = run == 1 ? "record output: acted a" : refused
    #expect(outputs(host) == [first, refused])
  }

  @Test func `has calls that are repeated not made, and the model hears of it`() async throws {
    let log = Log()
    let host = RecordingHost(repeatedCalls: [0])
    _ = try await LanguageModelSession(profile: acting(log)).run(prompt, host: host)
    #expect(log.lines == [#"hook {"x": "b"}"#, "b"])
    #expect(outputs(host).count == 2)
    #expect(outputs(host)[0].hasPrefix(#"record output: {"status": "repeated", "tool": "act", "#))
    #expect(outputs(host)[1] == "record output: acted b")
  }

  @Test func `has the model told which cap it is at, and the transcript stays as it was`()
    async throws
  {
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .model(requests.model(.call("plain"), .text("Enough."), .text("Short.")))
    let session = LanguageModelSession(profile: profile)
    let atOnce = RecordingHost(admission: { _ in .lastAnswer(cap: "tokens", maximumTokens: 9) })
    let later = RecordingHost(admission: { round in
      round < 2 ? .go(maximumTokens: nil) : .lastAnswer(cap: "calls", maximumTokens: 9)
    })
    _ = try await session.run(prompt, host: later)
    _ = try await session.run(prompt, host: atOnce)
    let told = requests.all.map { $0.transcript.last?.text.split(separator: "\n").last ?? "" }
    #expect(told[0] == "Go")
    #expect(told[1].hasPrefix("[The cap on calls is reached."))
    #expect(told[2].hasPrefix("[The cap on tokens is reached."))
    #expect(!session.transcript.outline.contains { $0.contains("The cap") })
  }

  @Test func `stops the turn after a round`() async throws {
    let log = Log()
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .onResponse { log.add("response") }
      .model(requests.model(.call("plain")))
    let session = LanguageModelSession(profile: profile)
    let outcome = try await session.run(prompt, host: RecordingHost(goesOn: false))
    #expect(outcome.exit == nil)
    #expect(outcome.response == nil)
    #expect(requests.count == 1)
    #expect(log.lines.isEmpty)
    #expect(session.transcript.last?.outline == "output: plain done")
  }

  @Test func `ends the turn by refusing a request`() async {
    let requests = Requests()
    let session = LanguageModelSession(model: requests.model(.text("Hi.")))
    let host = RecordingHost(admission: { _ in throw Mishap() })
    await #expect(throws: Mishap.self) { try await session.run(prompt, host: host) }
    #expect(requests.count == 0)
    #expect(session.transcript.isEmpty)
  }

  @Test func `starts from a transcript whose prompt is recorded already`() async throws {
    let (log, host) = (Log(), RecordingHost())
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .onPrompt { log.add($0.segments.joinedText) }
      .model(ScriptedLanguageModel(.text("Yes"), .text("Done")))
    let session = LanguageModelSession(profile: profile)
    let options = GenerationOptions(temperature: 0.5)
    session.transcript.history = [
      .prompt(.init(segments: [.text(.init(content: "Go"))], options: options))
    ]
    _ = try await session.run(.transcript, host: host)
    #expect(log.lines == ["Go"])
    #expect(!host.log.lines.contains("record prompt: Go"))

    // In the middle of a turn, the prompt belongs to someone else.
    session.transcript.append(
      .toolOutput(.init(id: "1", toolName: "pass_baton", segments: []))
    )
    _ = try await session.run(.transcript, host: host)
    #expect(log.lines == ["Go"])
    #expect(session.transcript.last?.outline == "response: Done")
  }

  @Test func `is told when a changed mode let the model answer`() async throws {
    let exit: (GenerationOptions.ToolCallingMode?) async throws -> TurnExit? = { mode in
      let session = LanguageModelSession(profile: Wavering(first: mode))
      return try await session.run(prompt, host: RecordingHost()).exit
    }
    #expect(try await exit(.required) == .modeChanged)
    #expect(try await exit(.allowed) == .answered)
  }

  private struct Wavering: LanguageModelSession.DynamicProfile {
    @SessionProperty(\.calls) var calls
    let first: GenerationOptions.ToolCallingMode?
    let model = ScriptedLanguageModel(.call("plain"), .text("Done."))

    var body: some DynamicProfile {
      Profile { Plain() }
        .toolCallingMode(calls == 0 ? first : .allowed)
        .onToolCall { calls += 1 }
        .model(model)
    }
  }
}
