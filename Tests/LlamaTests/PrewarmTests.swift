import AgentKit
import Foundation
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Prewarming` {
  private static let rules =
    "You are a warm and friendly expert for crafts. Say which paper somebody needs, of which colour, "
    + "and what can go wrong. Never say more than two sentences."

  private func ask(
    _ engine: LlamaEngine,
    _ words: String,
    after prewarm: (LanguageModelSession) -> Void = { _ in }
  ) async throws -> (cached: Int, input: Int, text: String) {
    let session = LanguageModelSession(
      model: LoadedLanguageModel(engine),
      instructions: Self.rules
    )
    prewarm(session)
    await engine.warmed()
    var options = GenerationOptions(samplingMode: .greedy)
    options.maximumResponseTokens = 12
    let response = try await session.respond(to: words, options: options)
    let input = response.usage.input
    return (input.cachedTokenCount, input.totalTokenCount, response.content)
  }

  private func engine() throws -> LlamaEngine {
    try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 512)
  }

  @Test func `computes the instructions, and the beginning of the prompt where there is one`()
    async throws
  {
    let question = "I have blue paper and string and a lot of time. What can I make?"
    let cold = try await ask(engine(), question)
    #expect(cold.cached == 0)
    let warm = try await ask(engine(), question) { $0.prewarm() }
    #expect(warm.cached > 40)
    let warmer = try await ask(engine(), question) {
      $0.prewarm(promptPrefix: "I have blue paper and string and a lot of time.")
    }
    #expect(warmer.cached > warm.cached + 10)
    #expect(warmer.cached < warmer.input)
    #expect(warm.text == warmer.text)
  }

  @Test func `makes way for a request, which goes on from what is there`() async throws {
    let engine = try engine()
    let session = LanguageModelSession(
      model: LoadedLanguageModel(engine),
      instructions: Self.rules
    )
    session.prewarm()
    await engine.warmed()
    // These may be cut off at any point, but what was prepared before them stays.
    for _ in 0..<5 { session.prewarm(promptPrefix: "What can I make of paper?") }
    var options = GenerationOptions(samplingMode: .greedy)
    options.maximumResponseTokens = 4
    let answer = try await session.respond(to: "How do I fold a boat?", options: options)
    #expect(!answer.content.isEmpty)
    #expect(answer.usage.input.cachedTokenCount > 40)
  }

  @Test func `costs nothing where the window is too small for what is prewarmed`() async throws {
    let engine = try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 64)
    let long = String(repeating: Self.rules, count: 10)
    let session = LanguageModelSession(model: LoadedLanguageModel(engine), instructions: long)
    session.prewarm()
    await engine.warmed()
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "Hello") }
  }
}
