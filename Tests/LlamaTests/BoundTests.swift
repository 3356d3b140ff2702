import AgentKit
import Llama
import Testing

/// What happens to an answer that reaches a limit before its end.
@Suite(.timeLimit(.minutes(5))) struct `An answer that` {
  private static let windowSize = 256
  private let model: LoadedLanguageModel

  init() throws {
    model = LoadedLanguageModel(
      try LlamaEngine(modelAt: Fixture.modelPath, contextSize: Self.windowSize)
    )
  }

  /// Options with which no answer ends by itself.
  private func wild(maximum: Int? = nil, seed: UInt64 = 1) -> GenerationOptions {
    GenerationOptions(
      samplingMode: .random(top: 4_000, seed: seed),
      temperature: 100,
      maximumResponseTokens: maximum
    )
  }

  struct Noting: AgentKit.Tool {
    let name = "note"
    let description = "Notes."

    @Generable struct Arguments {
      var text: String
    }

    func call(arguments: Arguments) async throws -> String { "Noted." }
  }

  private func caller() -> LanguageModelSession {
    LanguageModelSession(model: model, tools: [Noting()], instructions: "You take notes.")
  }

  @Test func `fills the window ends its turn at that cap`() async throws {
    // One in some twenty ends by itself all the same; which of them depends on how the CPU rounds.
    var exits: [TurnExit] = []
    for seed in 1...6 where !exits.contains(.cap("contextSize")) {
      let session = LanguageModelSession(model: model, instructions: "You write titles.")
      let options = wild(seed: UInt64(seed))
      let response = try await session.respond(to: "A paper boat.", options: options)
      exits.append(response.exit)
      guard response.exit == .cap("contextSize") else { continue }
      #expect(response.usage.totalTokenCount == Self.windowSize + 1)
    }
    #expect(exits.last == .cap("contextSize"), "\(exits)")
    let bounded = LanguageModelSession(model: model, instructions: "You write titles.")
    let short = try await bounded.respond(to: "A paper boat.", options: wild(maximum: 9))
    #expect(short.exit == .answered)
  }

  @Test func `fills the window where a call was required is an error that says how`() async throws {
    // Some calls end before the window does.
    var words: [String] = []
    for seed in 1...6 where words.last?.contains("wrote to the end of its window of 256") != true {
      var options = wild(seed: UInt64(seed))
      options.toolCallingMode = .required
      do {
        let response = try await caller().respond(to: "A paper boat.", options: options)
        words.append(response.content)
      } catch LanguageModelError.contextSizeExceeded(let facts) {
        #expect(facts.contextSize == Self.windowSize)
        words.append(facts.debugDescription)
      }
    }
    #expect(words.last?.contains("wrote to the end of its window of 256") == true, "\(words)")
    #expect(words.last?.contains("maximumResponseTokens") == true, "\(words)")
  }

  @Test func `fills the window where it must meet a schema is an error that says how`() async {
    var words: [String] = []
    for seed in 1...6 where words.last?.contains("window") != true {
      let session = LanguageModelSession(model: model, instructions: "You take notes.")
      do {
        _ = try await session.respond(
          to: "A paper boat.",
          generating: Noting.Arguments.self,
          options: wild(seed: UInt64(seed))
        )
      } catch LanguageModelError.contextSizeExceeded(let facts) {
        words.append(facts.debugDescription)
      } catch {
        // This one has met another end, as some do.
      }
    }
    #expect(words.last?.contains("wrote to the end of its window of 256") == true, "\(words)")
  }

  @Test func `has no room for the call that was required ends its turn at that cap`() async throws {
    var options = wild(maximum: 12)
    options.toolCallingMode = .required
    let response = try await caller().respond(to: "A paper boat.", options: options)
    #expect(response.exit == .cap("maximumResponseTokens"))
    #expect(response.content.isEmpty)
  }
}
