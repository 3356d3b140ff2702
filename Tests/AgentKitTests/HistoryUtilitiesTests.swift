import AgentKit
import Testing

/// A profile's history, trimmed by the history utilities.
@Suite(.timeLimit(.minutes(5)))
struct `Dropping completed calls` {
  private let requests = Requests()

  private func shown(_ history: [Transcript.Entry], _ steps: ScriptedLanguageModel.Step...)
    async throws -> [[String]]
  {
    let profile = LanguageModelSession.Profile { Plain() }
      .droppingCompletedToolCalls()
      .model(requests.model(steps: steps))
    try await LanguageModelSession(profile: profile, history: history).respond(to: "Now?")
    return requests.all.map { Array($0.outline.dropFirst()) }
  }

  @Test func `hides an exchange's calls when the next prompt is there`() async throws {
    let shown = try await shown(
      [.said("A"), .called("plain"), .returned("a", by: "plain"), .answered("A.")],
      .text("Done.")
    )
    #expect(shown == [["prompt: A", "response: A.", "prompt: Now?"]])
  }

  @Test func `shows every round of the exchange that is under way`() async throws {
    let shown = try await shown([], .call("plain"), .call("plain"), .text("Done."))
    #expect(
      shown.last == [
        "prompt: Now?", "calls: plain{}", "output: plain done", "calls: plain{}",
        "output: plain done",
      ]
    )
  }

  @Test func `keeps the last round of an exchange that has no answer`() async throws {
    let shown = try await shown(
      [
        .said("A"), .called("plain", id: "1"), .returned("a", by: "plain", id: "1"),
        .called("plain", id: "2"), .returned("b", by: "plain", id: "2"),
      ],
      .text("Done.")
    )
    #expect(shown == [["prompt: A", "calls: plain{}", "output: b", "prompt: Now?"]])
  }
}

@Suite(.timeLimit(.minutes(5)))
struct `A window of tokens` {
  private let requests = Requests()

  /// For a model outside this process, a token is three bytes.
  private func shown(_ tokens: Int, _ history: [Transcript.Entry]) async throws -> [String] {
    let profile = LanguageModelSession.Profile { Instructions("123456789") }
      .rollingWindow(size: .tokens(tokens))
      .model(requests.model(.text("Done.")))
    try await LanguageModelSession(profile: profile, history: history).respond(to: "123456789")
    return requests.all[0].outline
  }

  private let history: [Transcript.Entry] = [
    .said("aaaaaaaaa"), .answered("bbbbbbbbb"), .said("ccccccccc"), .called("x"),
    .returned("ddddddddd", by: "x"), .answered("eeeeeeeee"),
  ]

  @Test func `shows everything that fits`() async throws {
    // Seven texts of three tokens, and a call of three bytes.
    #expect(try await shown(22, history).count == 8)
  }

  @Test(arguments: [(21, 6), (16, 6), (15, 2), (6, 2), (1, 2)])
  func `begins with the first prompt from which all of it fits`(tokens: Int, count: Int)
    async throws
  {
    let outline = try await shown(tokens, history)
    #expect(outline.count == count)
    #expect(outline.first == "instructions: 123456789")
    #expect(outline.last == "prompt: 123456789")
    #expect(outline[1].hasPrefix("prompt: "))
  }
}

@Suite(.timeLimit(.minutes(5)))
struct `Summarizing a history` {
  private let requests = Requests()
  private let summaries = Requests()

  private func session(
    threshold: Int,
    _ history: [Transcript.Entry],
    postamble: String? = nil,
    summary: ScriptedLanguageModel.Step = .text("They talked.")
  ) -> LanguageModelSession {
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .summarizeHistory(
        entryThreshold: threshold,
        model: summaries.model(summary),
        instructions: Instructions("Sum up."),
        summaryPostamble: postamble
      )
      .model(requests.model(.text("Done."), .text("Again.")))
    return LanguageModelSession(profile: profile, history: history)
  }

  private func talk(_ exchanges: Int) -> [Transcript.Entry] {
    (1...exchanges).flatMap { [.said("Q\($0)"), .answered("A\($0)")] }
  }

  @Test func `happens when the prompt makes the history too long`() async throws {
    let session = session(threshold: 4, talk(2), postamble: "Now:")
    try await session.respond(
      to: "Next?",
      options: GenerationOptions(temperature: 0.5),
      metadata: ["k": 1]
    )
    #expect(
      summaries.all.map(\.outline) == [
        [
          "instructions: Sum up.",
          "prompt: User: Q1\n\nAssistant: A1\n\nUser: Q2\n\nAssistant: A2",
        ]
      ]
    )
    #expect(
      session.transcript.outline == [
        "instructions: Rules.",
        "prompt: Summary of the conversation so far:\nThey talked.\n\nNow:\nNext?",
        "response: Done.",
      ]
    )
    // The prompt is the original one, with everything that accompanied it.
    guard case .prompt(let prompt) = session.transcript[1] else {
      Issue.record("\(session.transcript.outline)")
      return
    }
    #expect(prompt.options.temperature == 0.5)
    #expect(prompt.metadata["k"] == GeneratedContent(1))
    #expect(requests.all[0].metadata["k"] == GeneratedContent(1))
  }

  @Test func `leaves a history at the threshold alone`() async throws {
    let session = session(threshold: 5, talk(2))
    try await session.respond(to: "Next?")
    #expect(summaries.count == 0)
    #expect(session.transcript.count == 7)
  }

  @Test func `happens on prompts, and not after a round of calls`() async throws {
    let profile = LanguageModelSession.Profile { Plain() }
      .summarizeHistory(entryThreshold: 3, model: summaries.model(.text("Never.")))
      .model(requests.model(.call("plain"), .call("plain"), .text("Done.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    #expect(session.transcript.history.count == 6)
    #expect(summaries.count == 0)
  }

  @Test func `keeps recent exchanges with calls, with all that belongs to them`() async throws {
    let tools: [Transcript.Entry] = [
      .said("Look"), .called("x", id: "7"), .returned("found", by: "x", id: "7"),
      .answered("It is there."),
    ]
    let session = session(threshold: 8, talk(1) + tools + talk(2))
    try await session.respond(to: "Next?")
    #expect(
      summaries.all[0].outline[1]
        == "prompt: User: Q1\n\nAssistant: A1\n\nUser: Q1\n\nAssistant: A1\n\nUser: Q2"
        + "\n\nAssistant: A2"
    )
    #expect(
      session.transcript.outline.dropFirst(2) == [
        "calls: x{}", "output: found", "response: It is there.", "prompt: Next?",
        "response: Done.",
      ]
    )
    #expect(session.transcript.outline[1].hasPrefix("prompt: Summary of the conversation so far:"))
    #expect(session.transcript.outline[1].hasSuffix("\nLook"))
    guard case .toolCalls(let calls) = session.transcript[2] else {
      Issue.record("\(session.transcript.outline)")
      return
    }
    #expect(calls.map(\.id) == ["7"])
    #expect(session.transcript[1].id == tools[0].id)
  }

  @Test func `takes calls that are old, or too many, into the summary`() async throws {
    func tools(_ id: String) -> [Transcript.Entry] {
      [
        .said("Look \(id)"), .called("x", id: id), .returned("found \(id)", by: "x", id: id),
        .answered("There."),
      ]
    }
    let session = session(threshold: 10, tools("1") + tools("2") + tools("3"))
    try await session.respond(to: "Next?")
    let log = summaries.all[0].outline[1]
    #expect(log.contains("Tool call: x({})\n\nTool output (x): found 1"))
    #expect(log.contains("found 2"))
    #expect(!log.contains("found 3"))
    #expect(session.transcript.outline.contains("output: found 3"))
    #expect(session.transcript.history.count == 6)
  }

  @Test func `fails the turn when the summary fails`() async {
    let session = session(threshold: 2, talk(2), summary: .failure(Mishap()))
    await #expect(throws: Mishap.self) { try await session.respond(to: "Next?") }
    #expect(requests.count == 0)
    #expect(session.transcript.history.count == 4)
  }
}
