import AgentKit
import Synchronization
import Testing

/// The examples of Apple's article about key-value caching, adapted to a bakery.
@Suite(.timeLimit(.minutes(5)))
struct `The article about caching` {
  private let requests = Requests()

  @Test func `keeps what precedes a conditional part as it is`() async throws {
    let oven = Oven()
    let session = LanguageModelSession(
      model: requests.model(.text("1"), .text("2"), .text("3")),
      dynamicInstructions: OvenInstructions(oven: oven)
    )
    try await session.respond(to: "Cold?")
    oven.isHot = true
    try await session.respond(to: "Hot?")
    oven.isHot = false
    try await session.respond(to: "Cold again?")
    #expect(requests.instructions == ["You bake.", "You bake.\nIt is hot.", "You bake."])
    #expect(requests.tools.allSatisfy { $0.starts(with: ["list_breads", "add_bread"]) })
    #expect(requests.tools[1] == ["list_breads", "add_bread", "open_oven"])
    // Everything said before stays in place.
    #expect(requests.all[2].outline.dropFirst().starts(with: requests.all[1].outline.dropFirst()))
  }

  @Test func `warms the instructions, the tools and the beginning of a prompt`() async throws {
    let warmed = Warmed()
    let session = LanguageModelSession(
      model: WarmModel(warmed: warmed),
      tools: [Plain(name: "recipes")],
      instructions: """
        You are a baker. Suggest bread \
        from what is there.
        """
    )
    session.prewarm(
      promptPrefix: "Suggest a bread with"
    )
    #expect(
      warmed.transcripts.map(\.outline) == [
        [
          "instructions: You are a baker. Suggest bread from what is there.",
          "prompt: Suggest a bread with",
        ]
      ]
    )
    // None of it becomes part of the conversation.
    #expect(session.transcript.count == 1)
    #expect(!session.isResponding)
  }

  @Test(arguments: [nil, ContextOptions.ReasoningLevel.light])
  func `warms at the level of reasoning that the profile's requests have`(
    level: ContextOptions.ReasoningLevel?
  ) {
    let warmed = WarmedLevels()
    let profile = LanguageModelSession.Profile { Instructions("You bake.") }
      .reasoningLevel(level)
      .model(LevelModel(warmed: warmed))
    LanguageModelSession(profile: profile).prewarm()
    #expect(warmed.levels == [level])
  }

  @Test func `replaces in place what a model need not see`() async throws {
    let profile = LanguageModelSession.Profile { Instructions("You bake.") }
      .historyTransform { history in
        history.map(withoutDebugText)
      }
      .model(requests.model(.text("One. [debug]"), .text("Two.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "First")
    try await session.respond(to: "Second")
    #expect(
      requests.all[1].outline == [
        "instructions: You bake.", "prompt: First", "response: One. ", "prompt: Second",
      ]
    )
    #expect(session.transcript.outline.contains("response: One. [debug]"))
  }

  @Test func `goes on from a transcript that was kept`() async throws {
    let first = LanguageModelSession(
      model: requests.model(.text("Rye.")),
      tools: [Plain()],
      instructions: "You bake."
    )
    try await first.respond(to: "Which bread?")
    let kept = first.transcript

    let warmed = Warmed()
    let session = LanguageModelSession(model: WarmModel(warmed: warmed), transcript: kept)
    session.prewarm()
    #expect(
      warmed.transcripts.map(\.outline) == [
        ["instructions: You bake.", "prompt: Which bread?", "response: Rye."]
      ]
    )
  }

  @Test func `says how much of the input was known`() async throws {
    let model = requests.model(.text("One."), .text("Two."))
    let session = LanguageModelSession(model: model, instructions: "You bake bread.")
    let first = try await session.respond(to: "First").usage
    let second = try await session.respond(to: "Second").usage
    // The scripted model has cached everything but the last entry.
    #expect(first.input == .init(totalTokenCount: 4, cachedTokenCount: 3))
    #expect(second.input == .init(totalTokenCount: 6, cachedTokenCount: 5))
  }
}

private final class Oven: Sendable {
  private let state = Mutex(false)

  var isHot: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

private struct OvenInstructions: DynamicInstructions {
  var oven: Oven

  var body: some DynamicInstructions {
    Instructions {
      "You bake."
    }
    Plain(name: "list_breads")
    Plain(name: "add_bread")

    // What changes comes last.
    if oven.isHot {
      Instructions("It is hot.")
      Plain(name: "open_oven")
    }
  }
}

private func withoutDebugText(_ entry: Transcript.Entry) -> Transcript.Entry {
  guard case .response(let response) = entry else { return entry }
  var shown = response
  shown.segments = response.segments.map { segment in
    guard case .text(var text) = segment else { return segment }
    text.content = text.content.replacing("[debug]", with: "")
    return .text(text)
  }
  return .response(shown)
}

/// A log of the transcripts with which a model was prewarmed.
final class Warmed: Sendable {
  private let storage = Mutex<[Transcript]>([])

  var transcripts: [Transcript] { storage.withLock { $0 } }

  func add(_ transcript: Transcript) {
    storage.withLock { $0.append(transcript) }
  }
}

/// A model that only records what it is prewarmed with.
struct WarmModel: LanguageModel {
  let warmed: Warmed

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.toolCalling]) }
  var executorConfiguration: Int { 0 }

  struct Executor: LanguageModelExecutor {
    init(configuration: Int) throws {}

    func prewarm(model: WarmModel, transcript: Transcript) {
      model.warmed.add(transcript)
    }

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: WarmModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send("Warm.")
    }
  }
}
