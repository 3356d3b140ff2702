import AgentKit
import Foundation
import Llama
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `What a prompt asks of a local model` {
  private let model: LoadedLanguageModel

  init() throws {
    model = LoadedLanguageModel(try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 1024))
  }

  /// Folds a figure of paper.
  struct Fold: AgentKit.Tool {
    @Generable struct Arguments { var figure: String }

    let description = "Explains how a figure of paper is folded, step by step."

    func call(arguments: Arguments) async throws -> String { "Fold it." }
  }

  @Generable struct Place {
    @Guide(description: "a town", .anyOf(["Oslo", "Rome"])) var place: String
  }

  /// A host that asks what the sender of a prompt asks, and collects what is shown.
  private final class Host: LenientHost {
    let options: TurnOptions?
    let shown = Mutex("")
    let usages = Mutex<[LanguageModelSession.Usage]>([])

    init(_ options: TurnOptions?) { self.options = options }

    func record(
      _ entries: [Transcript.Entry],
      usage: LanguageModelSession.Usage?
    ) async throws -> AdmittedCalls {
      if let usage { usages.withLock { $0.append(usage) } }
      return .all
    }

    func show(_ change: TextChange) async {
      shown.withLock { text in
        text = String(decoding: text.utf8.prefix(change.keptBytes), as: UTF8.self) + change.added
      }
    }
  }

  private func run(
    _ options: TurnOptions?,
    _ prompt: String = "How do I fold a boat?",
    in session: LanguageModelSession? = nil
  ) async throws -> (text: String, shown: String, input: LanguageModelSession.Usage.Input) {
    let session = session ?? self.session
    let entry = Transcript.Prompt(segments: [.text(.init(content: prompt))])
    session.replaceHistory(with: Transcript.HistoryView([.prompt(entry)]))
    let host = Host(options)
    let outcome = try await session.run(.transcript, host: host)
    return (
      outcome.response?.segments.joinedText ?? "",
      host.shown.withLock { $0 },
      try #require(host.usages.withLock { $0.last }).input
    )
  }

  private var session: LanguageModelSession {
    LanguageModelSession(
      profile: LanguageModelSession.Profile {
        Instructions(
          "You are a warm and friendly expert for crafts. Say which paper a model needs, of which "
            + "colour, and what can go wrong. Never say more than two sentences."
        )
        Fold()
      }
      .samplingMode(.greedy)
      .model(model)
    )
  }

  @Test func `as instructions leaves all that was computed of the agent's own, and its tools`()
    async throws
  {
    // As a template does.
    let session = session
    session.prewarm()
    await model.engine.warmed()
    let generation = GenerationOptions(maximumResponseTokens: 8, toolCallingMode: .disallowed)
    let plain = try await run(TurnOptions(generation: generation), in: session)
    #expect(plain.input.cachedTokenCount > 80)
    let told = try await run(
      TurnOptions(instructions: "Speak like a pirate.", generation: generation),
      in: session
    )
    let added = told.input.totalTokenCount - plain.input.totalTokenCount
    #expect(added > 4)
    // Where the instructions begin, the prompt's own beginning stood.
    let lost = plain.input.cachedTokenCount - told.input.cachedTokenCount
    #expect((0...4).contains(lost), "\(plain.input) \(told.input)")
    let again = try await run(
      TurnOptions(instructions: "Speak like a pirate.", generation: generation),
      in: session
    )
    #expect(again.input.cachedTokenCount == again.input.totalTokenCount - 1)
  }

  @Test func `as texts that end an answer shows neither them nor their beginnings`() async throws {
    let generation = GenerationOptions(maximumResponseTokens: 30, toolCallingMode: .disallowed)
    let whole = try await run(TurnOptions(generation: generation))
    let words = whole.text.split(separator: " ")
    try #require(words.count > 4, "\(whole.text)")
    let stop = " " + words[2] + " " + words[3]
    let cut = try await run(TurnOptions(generation: generation, stop: [stop, "never said"]))
    let expected = try #require(whole.text.firstRange(of: stop)).lowerBound
    #expect(cut.text == String(whole.text[..<expected]))
    #expect(cut.shown == cut.text)
    // What only begins like it is shown in the end.
    let uncut = try await run(TurnOptions(generation: generation, stop: [whole.text + "!!"]))
    #expect(uncut.text == whole.text)
    #expect(uncut.shown == whole.text)
  }

  @Test func `as a seed repeats an answer, however it is sampled`() async throws {
    let generation = GenerationOptions(
      samplingMode: .random(top: 1000),
      temperature: 4,
      maximumResponseTokens: 20,
      toolCallingMode: .disallowed
    )
    func text(_ seed: UInt64) async throws -> String {
      try await run(TurnOptions(generation: generation, seed: seed)).text
    }
    let first = try await text(7)
    #expect(try await text(7) == first)
    var others: Set<String> = []
    for seed in UInt64(8)..<12 { others.insert(try await text(seed)) }
    #expect(others != [first])
  }

  @Test func `as a schema holds the answer, although tools can be called`() async throws {
    let answer = try await run(
      TurnOptions(
        generation: GenerationOptions(maximumResponseTokens: 200),
        schema: Place.generationSchema
      ),
      "Who are you?"
    )
    let content = try GeneratedContent(json: answer.text)
    #expect(["Oslo", "Rome"].contains(try content.value(String.self, forProperty: "place")))
  }
}
