import AgentKit
import Llama
import Testing

/// What a person is advised when a context does not fit into the window.
@Suite(.timeLimit(.minutes(5))) struct OverflowTests {
  private let model: LoadedLanguageModel

  init() throws {
    model = LoadedLanguageModel(try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 256))
  }

  private static let long = String(repeating: "Fold the paper. ", count: 100)
  private static let short = String(repeating: "Fold the paper. ", count: 4)

  /// Asks after several exchanges, and returns the error.
  private func error(after exchanges: Int, asking prompt: String) async throws -> (String, Int) {
    var entries: [Transcript.Entry] = []
    for _ in 0..<exchanges {
      entries.append(.prompt(.init(segments: [.text(.init(content: Self.short))])))
      entries.append(.response(.init(segments: [.text(.init(content: Self.short))])))
    }
    let session = LanguageModelSession(model: model, transcript: Transcript(entries: entries))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: prompt)
    }
    guard case .contextSizeExceeded(let facts) = error else { return ("\(error as Any)", 0) }
    #expect(facts.contextSize == 256)
    return (facts.debugDescription, facts.tokenCount)
  }

  @Test(arguments: [0, 3])
  func `a prompt that is too large by itself is to be shortened`(exchanges: Int) async throws {
    let (words, count) = try await error(after: exchanges, asking: Self.long)
    #expect(count > 256)
    #expect(words.contains("Shorten the prompt"))
    #expect(!words.contains("another session") && !words.contains("rollingWindow"))
  }

  @Test func `a history that is too large is to be left behind`() async throws {
    let (words, count) = try await error(after: 20, asking: Self.short)
    #expect(count > 256)
    #expect(words.contains("Start another session"))
  }
}
