import AgentKit
import Testing

/// Contexts that are made to fit; a token of these models is a word.
@Suite(.timeLimit(.minutes(5)))
struct `A context that is nearly full` {
  /// Returns a number of words, each consisting of one letter.
  private static func words(_ letter: String, _ count: Int) -> String {
    Array(repeating: letter, count: count).joined(separator: " ")
  }

  private static func prompt(_ text: String) -> Transcript.Prompt {
    .init(segments: [.text(.init(content: text))])
  }

  /// Returns an exchange: a prompt of a hundred words, a call, and an output and an answer of that
  /// length.
  private static func exchange(_ letter: String) -> [Transcript.Entry] {
    let call = Transcript.ToolCall(
      id: letter,
      toolName: "look",
      arguments: GeneratedContent(properties: [:])
    )
    func text(_ count: Int) -> [Transcript.Segment] {
      [.text(.init(content: words(letter, count)))]
    }
    return [
      .prompt(.init(id: "prompt \(letter)", segments: text(100))),
      .toolCalls(.init([call])),
      .toolOutput(.init(id: letter, toolName: "look", segments: text(100))),
      .response(.init(segments: text(100))),
    ]
  }

  private static let history = ["a", "b", "c", "d", "e"].flatMap(exchange)

  private func session(
    _ requests: Requests,
    window: Int,
    history: [Transcript.Entry] = history,
    steps: ScriptedLanguageModel.Step...
  ) -> LanguageModelSession {
    let model = requests.model(steps: steps).contextSize(window)
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }.model(model)
    return LanguageModelSession(profile: profile, history: history)
  }

  private func run(
    _ session: LanguageModelSession,
    _ text: String = "go",
    host: Managing
  ) async throws {
    _ = try await session.run(.prompt(Self.prompt(text)), host: host)
  }

  /// Returns whether each call has its output, and each output its call.
  private func isWhole(_ entries: some Sequence<Transcript.Entry>) -> Bool {
    var calls: Set<String> = []
    var outputs: Set<String> = []
    for entry in entries {
      if case .toolCalls(let made) = entry { calls.formUnion(made.map(\.id)) }
      if case .toolOutput(let output) = entry { outputs.insert(output.id) }
    }
    return calls == outputs
  }

  @Test func `is left alone as long as there is room`() async throws {
    let (requests, host) = (Requests(), Managing())
    let session = session(requests, window: 2000, steps: .text("ok"))
    try await run(session, host: host)
    #expect(host.all.isEmpty)
    #expect(requests.all.first?.transcript.count == 22)
  }

  @Test func `is consolidated once, for all agents, into half of the window`() async throws {
    let (requests, host) = (Requests(), Managing())
    let session = session(requests, window: 1600, steps: .text("ok"), .text("ok"))
    try await run(session, host: host)
    let report = try #require(host.all.first)
    #expect(report.exchanges == 4)
    #expect(report.isShared)
    #expect(!report.isSummarized)
    #expect(report.window == 1600)
    #expect(report.tokensBefore == 1507)
    #expect(report.tokensAfter < 700)
    let shown = try #require(requests.all.first?.transcript)
    #expect(isWhole(shown))
    #expect(shown.outline[1].hasPrefix("prompt: [The earlier part of this conversation, about "))
    #expect(shown.outline[1].hasSuffix(Self.words("e", 100)))
    // The session's own history is what the model saw.
    #expect(Array(session.transcript.history).count == shown.count)
    // It happens once: there is room in the next turn.
    try await run(session, host: host)
    #expect(host.all.count == 1)
    #expect(requests.all[1].transcript.outline[1] == shown.outline[1])
  }

  @Test func `is summarized by the model that goes on, where that is granted`() async throws {
    let (requests, host) = (Requests(), Managing(summaryTokens: 100))
    let session = session(
      requests,
      window: 1600,
      steps: .text("They looked at a b c."),
      .text("ok")
    )
    try await run(session, host: host)
    #expect(host.all.map(\.isSummarized) == [true])
    let asked = try #require(requests.all.first)
    #expect(asked.transcript.outline[1] == "prompt: " + Self.words("a", 100))
    #expect(asked.transcript.last?.text.hasPrefix("Summarise the conversation so far") == true)
    #expect(asked.generationOptions.maximumResponseTokens == 100)
    #expect(isWhole(asked.transcript))
    let shown = try #require(requests.all.last?.transcript)
    #expect(
      shown.outline[1].hasPrefix(
        "prompt: [What was said before, in short: They looked at a b c.]"
      )
    )
    #expect(session.usage.output.totalTokenCount == 7)
  }

  @Test(arguments: [nil, ContextOptions.ReasoningLevel.deep])
  func `is summarized at the level at which it is read, and without reasoning`(
    asked: ContextOptions.ReasoningLevel?
  ) async throws {
    let (requests, host) = (Requests(), Managing(summaryTokens: 100))
    let model = requests.model(.text("They looked."), .text("ok")).contextSize(1600)
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .reasoningLevel(.light).model(model)
    let session = LanguageModelSession(profile: profile, history: Self.history)
    var prompt = Self.prompt("go")
    prompt.contextOptions.reasoningLevel = asked
    _ = try await session.run(.prompt(prompt), host: host)
    let level: ContextOptions.ReasoningLevel? = asked ?? .light
    #expect(requests.all.map(\.contextOptions.reasoningLevel) == [level, level])
    #expect(requests.all.map(\.skipsReasoning) == [true, false])
  }

  @Test(arguments: [
    (false, GenerationOptions.ToolCallingMode.allowed, true), (false, .disallowed, true),
    (true, .allowed, true), (true, .disallowed, false),
  ])
  func `is summarized with calls disallowed only where there are tools that may not be called`(
    hasTools: Bool,
    mode: GenerationOptions.ToolCallingMode,
    isAllowed: Bool
  ) async throws {
    let (requests, host) = (Requests(), Managing(summaryTokens: 100))
    let model = requests.model(.text("They looked."), .text("ok")).contextSize(1600)
    let profile = LanguageModelSession.Profile {
      Instructions("Rules.")
      if hasTools { Plain() }
    }
    .toolCallingMode(mode).model(model)
    try await run(LanguageModelSession(profile: profile, history: Self.history), host: host)
    let asked: GenerationOptions.ToolCallingMode.Kind? = isAllowed ? .allowed : .disallowed
    let shown = hasTools && isAllowed ? ["plain"] : []
    #expect(requests.modes == [asked, mode.kind])
    #expect(requests.tools.first == shown)
  }

  @Test(arguments: [
    ScriptedLanguageModel.Step.text("  "), .failure(Mishap()), .call("look"),
    .text(words("long", 2000)),
  ])
  func `does without a summary that is none`(step: ScriptedLanguageModel.Step) async throws {
    let (requests, host) = (Requests(), Managing(summaryTokens: 100))
    let session = session(requests, window: 1600, steps: step, .text("ok"))
    try await run(session, host: host)
    #expect(host.all.map(\.isSummarized) == [false])
    #expect(requests.all.last?.transcript.outline[1].contains("is not shown") == true)
  }

  @Test func `is left to the others when their windows are wider`() async throws {
    let (requests, host) = (Requests(), Managing(widest: 8192, summaryTokens: 100))
    let session = session(requests, window: 1600, steps: .text("ok"), .text("ok"))
    try await run(session, host: host)
    #expect(host.all.map(\.isShared) == [false])
    let shown = try #require(requests.all.first?.transcript)
    #expect(shown.count == 6)
    #expect(isWhole(shown))
    #expect(session.transcript.count == 23)
    // In the next turn, the model sees the same beginning and everything that was added.
    try await run(session, host: host)
    #expect(host.all.count == 1)
    #expect(requests.all[1].transcript.count == 8)
    #expect(requests.all[1].transcript.outline[1] == shown.outline[1])
  }

  @Test func `has the long outputs of its own exchange cut, and the model is told`() async throws {
    let (requests, host) = (Requests(), Managing())
    let tool = Doing("read") { _ in Self.words("x", 500) }
    let model = requests.model(.call("read"), .text("ok")).contextSize(200)
    let profile = LanguageModelSession.Profile { tool }.model(model)
    let session = LanguageModelSession(profile: profile)
    try await run(session, host: host)
    #expect(host.all.map(\.cutOutputs) == [1])
    let output = try #require(requests.all.last?.transcript.last?.text)
    #expect(output.hasPrefix("[Only the beginning of this output is shown, about "))
    #expect(output.contains(" of 500 tokens: the context holds 200.]\nx x x"))
  }

  @Test func `that nothing can make fit is an error with figures`() async throws {
    let (requests, host) = (Requests(), Managing())
    let session = session(requests, window: 1600, steps: .text("never"))
    let error = await #expect(throws: LanguageModelError.self) {
      try await run(session, Self.words("y", 3000), host: host)
    }
    #expect(error?.debugDescription.contains("window of 1600") == true)
    // The entries left out in vain come back when the turn is reverted.
    #expect(session.transcript.history.count == Self.history.count)
  }

  @Test func `is the agent's own when it has a transform, or says so`() async throws {
    for isManual in [true, false] {
      let (requests, host) = (Requests(), Managing())
      let model = requests.model(.text("ok")).contextSize(1500)
      let plain = LanguageModelSession.Profile { Instructions("Rules.") }.model(model)
      let session =
        isManual
        ? LanguageModelSession(profile: plain.contextManagement(.manual), history: Self.history)
        : LanguageModelSession(profile: plain.rollingWindow(entries: 4), history: Self.history)
      if isManual {
        await #expect(throws: LanguageModelError.self) { try await run(session, host: host) }
      } else {
        try await run(session, host: host)
      }
      #expect(host.all.isEmpty)
    }
  }

  @Test func `is managed beside a transform where the agent says so`() async throws {
    let (requests, host) = (Requests(), Managing())
    let model = requests.model(.text("ok"), .text("ok")).contextSize(1600)
    var profile: some LanguageModelSession.DynamicProfile {
      LanguageModelSession.Profile { Instructions("Rules.") }
        .model(model)
        .droppingCompletedToolCalls()
        .contextManagement(.automatic)
    }
    // Without their calls and outputs, the exchanges fit.
    try await run(LanguageModelSession(profile: profile, history: Self.history), host: host)
    #expect(host.all.isEmpty)
    #expect(requests.all.first?.transcript.count == 12)
    let history = Self.history + ["f", "g", "h"].flatMap(Self.exchange)
    try await run(LanguageModelSession(profile: profile, history: history), host: host)
    #expect(host.all.map(\.isShared) == [true])
  }

  @Test func `of a session on its own is left as it is`() async {
    let requests = Requests()
    let session = session(requests, window: 1500, steps: .text("never"))
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "go") }
  }

  /// The ways in which an agent shapes its own history.
  private enum Shape {
    case plain, manual, cut
  }

  @Test func `fits or does not, before the baton comes`() async throws {
    let requests = Requests()
    func fit(
      _ window: Int,
      _ history: [Transcript.Entry],
      _ shape: Shape = .plain
    ) async throws -> ContextFit {
      let plain = LanguageModelSession.Profile { Instructions("Rules.") }
        .model(requests.model(.text("never")).contextSize(window))
      let session =
        switch shape {
        case .plain: LanguageModelSession(profile: plain, history: history)
        case .manual:
          LanguageModelSession(profile: plain.contextManagement(.manual), history: history)
        case .cut:
          LanguageModelSession(
            profile: plain.historyTransform { Array($0.prefix(3)) },
            history: history
          )
        }
      return try await session.contextFit()
    }
    let all = Self.history
    #expect(try await fit(100_000, all).fits)
    // The history would be consolidated.
    #expect(try await fit(1200, all).fits)
    // The current exchange would not be.
    let long = all + [.prompt(Self.prompt(Self.words("y", 3000)))]
    let unfit = try await fit(1200, long)
    #expect(!unfit.fits)
    #expect(unfit.tokens > 3000)
    // An agent that manages its history has only its own transforms.
    #expect(try await fit(1200, long, .cut).fits)
    #expect(!(try await fit(1200, all, .manual).fits))
  }
}
