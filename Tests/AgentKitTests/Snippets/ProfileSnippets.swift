import AgentKit
import Testing

/// The WWDC26 page's snippets about profiles and their parts.
@Suite(.timeLimit(.minutes(5)))
struct `Snippets of profiles` {
  private let far = Requests()
  private let near = Requests()

  private func desk(_ phase: GardenDesk.Phase = .dreaming) -> GardenDesk {
    GardenDesk(
      phase,
      far: far.model(.text("Far."), .text("Far again.")),
      near: near.model(.text("Near."))
    )
  }

  @Test func `01 dynamic instructions bring an expert and his tools when the state asks for it`()
    async throws
  {
    let desk = desk()
    let session = LanguageModelSession(
      model: desk.farModel,
      dynamicInstructions: SeasonDreamer(desk: desk)
    )
    try await session.respond(to: "A small yard.")
    desk.crafts = [.pruning]
    try await session.respond(to: "With an apple tree.")
    #expect(
      far.instructions == [
        "You dream up gardens with people.",
        "You dream up gardens with people.\nYou know when to cut which branch.",
      ]
    )
    #expect(far.tools == [["name_the_bed"], ["name_the_bed", "read_almanac"]])
  }

  @Test func `02 a dynamic profile configures a model for each phase`() async throws {
    let desk = desk()
    let session = LanguageModelSession(profile: GardenProfile(desk: desk))
    try await session.respond(to: "Ideas?")
    desk.phase = .planning
    try await session.respond(to: "A plan?")
    desk.phase = .tending
    try await session.respond(to: "And now?")
    #expect(far.all.map(\.generationOptions.temperature) == [1, nil])
    #expect(far.all.map(\.contextOptions.reasoningLevel) == [nil, .deep])
    #expect(
      far.instructions == ["You dream up gardens with people.", "You plan what is sown when."]
    )
    #expect(
      near.all.map(\.outline) == [
        [
          "instructions: You help in the garden, in one sentence.", "prompt: Ideas?",
          "response: Far.", "prompt: A plan?", "response: Far again.", "prompt: And now?",
        ]
      ]
    )
  }

  @Test func `03 a session is made from a profile`() async throws {
    let session = LanguageModelSession(profile: GardenProfile(desk: desk(.tending)))
    #expect(try await session.respond(to: "Water?").content == "Near.")
  }

  @Test func `04 a history transform trims what one phase sees`() async throws {
    let desk = desk(.tending)
    let session = LanguageModelSession(profile: TrimmingProfile(desk: desk), history: season)
    try await session.respond(to: "Now?")
    #expect(
      near.all.map(\.outline) == [
        [
          "calls: read_almanac{}", "output: Peas: March.", "response: Sow peas.", "prompt: Now?",
        ]
      ]
    )
    #expect(session.transcript.count == season.count + 3)
  }

  @Test func `05 a custom modifier hides a transform behind a name`() async throws {
    let desk = desk(.tending)
    let session = LanguageModelSession(profile: NamedTrimProfile(desk: desk), history: season)
    try await session.respond(to: "Now?")
    #expect(
      near.all.map(\.outline) == [
        [
          "calls: read_almanac{}", "output: Peas: March.", "response: Sow peas.", "prompt: Now?",
        ]
      ]
    )
  }

  private let season: [Transcript.Entry] = [
    .said("Peas?"), .called("read_almanac"), .returned("Peas: March.", by: "read_almanac"),
    .answered("Sow peas."),
  ]
}

private struct GardenProfile: LanguageModelSession.DynamicProfile {
  var desk: GardenDesk

  var body: some DynamicProfile {
    switch desk.phase {
    case .dreaming:
      Profile { SeasonDreamer(desk: desk) }
        .model(desk.farModel)
        .temperature(1)
    case .planning:
      Profile { SeasonPlanner() }
        .model(desk.farModel)
        .reasoningLevel(.deep)
    case .tending:
      Profile { GardenHand() }
        .model(desk.nearModel)
    }
  }
}

// As on the page, the transform keeps tool calls and outputs, and the exchange since the last
// answer. It treats the instructions like any other entry.

private func lastAnswer(in history: [Transcript.Entry]) -> Int? {
  history.lastIndex { if case .response = $0 { true } else { false } }
}

private func isOfTools(_ entry: Transcript.Entry) -> Bool {
  switch entry {
  case .toolCalls, .toolOutput: true
  default: false
  }
}

private struct TrimmingProfile: LanguageModelSession.DynamicProfile {
  var desk: GardenDesk

  var body: some DynamicProfile {
    switch desk.phase {
    case .dreaming, .planning:
      Profile { SeasonPlanner() }.model(desk.farModel)
    case .tending:
      Profile { GardenHand() }
        .model(desk.nearModel)
        .historyTransform { history in
          guard let answer = lastAnswer(in: history) else {
            return history
          }
          let records = history[0..<answer].filter { entry in
            isOfTools(entry)
          }
          return records + history[answer...]
        }
    }
  }
}

private struct KeepingRecords: LanguageModelSession.DynamicProfileModifier {
  func body(content: Content) -> some DynamicProfile {
    content
      .historyTransform { history in
        guard let answer = lastAnswer(in: history) else {
          return history
        }
        return history[0..<answer].filter(isOfTools) + history[answer...]
      }
  }
}

extension LanguageModelSession.DynamicProfile {
  // The page gives its own modifier the same name as a utility; the author's own is meant.
  fileprivate func droppingCompletedToolCalls() -> some DynamicProfile {
    self.modifier(KeepingRecords())
  }
}

private struct NamedTrimProfile: LanguageModelSession.DynamicProfile {
  var desk: GardenDesk

  var body: some DynamicProfile {
    Profile { GardenHand() }
      .model(desk.nearModel)
      .droppingCompletedToolCalls()
  }
}
