import AgentKit
import Testing

/// The WWDC26 page's snippets about the history and session properties.
@Suite(.timeLimit(.minutes(5)))
struct `Snippets of state` {
  private let requests = Requests()

  private func history(_ exchanges: Int) -> [Transcript.Entry] {
    (1...exchanges).flatMap { [.said("Question \($0)"), .answered("Answer \($0)")] }
  }

  @Test func `06 utilities keep the last entries after dropping finished calls`() async throws {
    let session = LanguageModelSession(
      profile: WindowProfile(model: requests.model(.text("Dig."))),
      history: [
        .said("Peas?"), .called("read_almanac"), .returned("March.", by: "read_almanac"),
        .answered("Sow peas."),
      ] + history(4)
    )
    try await session.respond(to: "Now?")
    #expect(
      requests.all.map(\.outline) == [
        [
          "instructions: You help in the garden, in one sentence.",
          "prompt: Question 1", "response: Answer 1", "prompt: Question 2", "response: Answer 2",
          "prompt: Question 3", "response: Answer 3", "prompt: Question 4", "response: Answer 4",
          "prompt: Now?",
        ]
      ]
    )
  }

  @Test func `07 a lifecycle modifier rewrites the history when an answer has come`() async throws {
    let desk = GardenDesk(.planning, far: requests.model(.text("Beans."), .text("Leeks.")))
    let session = LanguageModelSession(
      profile: ForgettingProfile(desk: desk),
      history: history(25)
    )
    try await session.respond(to: "What comes next?")
    // The 50 entries, the prompt and the answer exceed 50, so everything before the answer is
    // removed.
    #expect(session.transcript.outline.dropFirst() == ["response: Beans."])
    try await session.respond(to: "And then?")
    #expect(requests.all.last?.outline.dropFirst() == ["response: Beans.", "prompt: And then?"])
  }

  @Test func `08 a session property is declared without a value when it is optional`() {
    let session = LanguageModelSession(model: ScriptedLanguageModel())
    #expect(session.properties.seasonSummary == nil)
    session.properties.seasonSummary = "Peas."
    #expect(session.properties.seasonSummary == "Peas.")
  }

  @Test func `09 a profile reads a property in its instructions and writes it in a hook`()
    async throws
  {
    let desk = GardenDesk(.planning, far: requests.model(.text("Beans."), .text("Leeks.")))
    let session = LanguageModelSession(
      profile: SummarizingProfile(desk: desk),
      history: history(25)
    )
    try await session.respond(to: "What comes next?")
    #expect(session.properties.seasonSummary == "39 entries about a season")
    #expect(session.properties.history.first?.outline == "response: Answer 20")
    #expect(session.properties.history.count == 13)

    try await session.respond(to: "And then?")
    #expect(
      requests.instructions == [
        "You plan what is sown when.",
        "You plan what is sown when.\nSummary: 39 entries about a season",
      ]
    )
  }
}

private struct WindowProfile: LanguageModelSession.DynamicProfile {
  var model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile { GardenHand() }
      // The last 10 entries that remain once finished calls are removed.
      .rollingWindow(size: .entries(10))
      .droppingCompletedToolCalls()
      .model(model)
  }
}

private func lastAnswer(in history: Transcript.HistoryView) -> Transcript.HistoryView.Index? {
  history.lastIndex { if case .response = $0 { true } else { false } }
}

private struct ForgettingProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  var desk: GardenDesk

  var body: some DynamicProfile {
    Profile { SeasonPlanner() }
      .model(desk.farModel)
      .reasoningLevel(.deep)
      .onResponse {
        if history.count > 50, let answer = lastAnswer(in: history) {
          history = history[answer...]
        }
      }
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry var seasonSummary: String?
}

private func summarize(_ entries: Transcript.HistoryView) async throws -> String {
  "\(entries.count) entries about a season"
}

private struct SummarizingProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  @SessionProperty(\.seasonSummary) var summary
  var desk: GardenDesk

  var body: some DynamicProfile {
    Profile {
      SeasonPlanner()
      if let summary {
        Instructions { "Summary: \(summary)" }
      }
    }
    .onResponse {
      if history.count > 50, let answer = lastAnswer(in: history.prefix(40)) {
        // The page writes `history[0..<answer]`, but the indices of 27.1 cannot be made that way.
        summary = try await summarize(history[..<answer])
        history = history[answer...]
      }
    }
    .model(desk.farModel)
  }
}
