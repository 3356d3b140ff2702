import Foundation
import Testing

@testable import Llama

/// What was cached changes the cost of a request with a seed, and neither its scores nor its answer.
@Suite(.timeLimit(.minutes(5))) final class SeedTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "seeds-\(UUID().uuidString)").path
  private let model: LlamaModel

  init() throws {
    model = try Fixture.model()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func generation(isStoring: Bool = false) throws -> Generation {
    var generation = Generation(context: try Fixture.context(model, size: 2048, sequences: 4))
    if isStoring {
      generation.snapshots = SnapshotStore(folder: folder, build: "a", byteLimit: 64 << 20) { _ in }
    }
    return generation
  }

  private func request(_ conversation: Conversation, seed: UInt32? = 7) -> GenerationRequest {
    var request = conversation.request
    request.sampling = SamplingOptions()
    request.sampling.temperature = 1.5
    request.sampling.seed = seed
    return request
  }

  private var conversation: Conversation {
    var conversation = Conversation.host
    conversation.ask("I have paper and string.")
    conversation.answer("You could fold a boat and pull it along.")
    conversation.ask("And for a rainy day?")
    return conversation
  }

  /// Returns the scores from which the first token was chosen, and how many tokens were cached.
  private func scores(
    _ request: GenerationRequest,
    _ generation: Generation
  ) throws -> (values: [Float], cached: Int) {
    var request = request
    request.maximumTokens = 1
    let result = try generation.run(request)
    return (try Logits.last(of: generation.context), result.usage.cached)
  }

  @Test func `the scores are the same, bit for bit`() throws {
    let request = request(conversation)
    let cold = try scores(request, generation())
    #expect(cold.cached == 0)

    let again = try generation()
    _ = try again.run(request)
    let repeated = try scores(request, again)
    #expect(repeated.cached > 50)
    #expect(repeated.values == cold.values)

    let prepared = try generation()
    _ = try prepared.prepare(request)
    #expect(try scores(request, prepared).values == cold.values)

    #expect(try scores(request, generation(isStoring: true)).values == cold.values)
    let restored = try scores(request, generation(isStoring: true))
    #expect(restored.cached > 50)
    #expect(restored.values == cold.values)

    let warmed = try generation()
    var other = conversation
    other.entries.removeLast()
    other.ask("Something else")
    try warmed.warm(request, unlike: self.request(other), cancel: CancelFlag())
    let fromWarmed = try scores(request, warmed)
    #expect(fromWarmed.cached > 50)
    #expect(fromWarmed.values == cold.values)
  }

  @Test func `the scores are the same behind an answer that this context has written`() throws {
    let context = try generation()
    var conversation = Conversation.host
    conversation.ask("I have paper and string.")
    // Without a seed the answer is continued as it is.
    let first = try context.run(request(conversation, seed: nil))
    conversation.answer(first.message.content)
    conversation.ask("And for a rainy day?")
    let warm = try scores(request(conversation), context)
    #expect(warm.cached > 50)
    #expect(try warm.values == scores(request(conversation), generation()).values)
  }

  @Test(arguments: [1, 2, 3] as [UInt32])
  func `the same seed gives the same answers in a conversation and alone`(seed: UInt32) throws {
    let warm = try generation()
    var conversation = Conversation.host
    for question in ["I have paper and string.", "And glue?", "Something for a child."] {
      conversation.ask(question)
      let request = request(conversation, seed: seed)
      let result = try warm.run(request)
      #expect(try generation().run(request).message == result.message)
      conversation.answer(result.message.content)
    }
  }

  @Test(arguments: [2, 128, 129, 130, 257, 385])
  func `no token of a prompt is computed by itself`(count: Int) throws {
    let context = try Fixture.context(model)
    try context.prefill(Fixture.tokens(count, of: model))
    #expect(context.togetherCount(in: 0) == count)
    try context.append([1], to: 0, cancel: nil)
    try context.append([1, 2, 3], to: 0, cancel: nil)
    #expect(context.togetherCount(in: 0) == count)
    _ = try context.rewind(0, to: 1)
    #expect(context.togetherCount(in: 0) == 1)
  }
}
