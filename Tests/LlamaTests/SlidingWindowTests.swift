import Libllama
import TestSupport
import Testing

@testable import Llama

/// A model with a sliding window: llama.cpp reuses the cells behind it for other sequences.
@Suite(.timeLimit(.minutes(5))) struct `What a layer looks back at no more` {
  private let files: Files
  private let model: LlamaModel

  init() throws {
    files = try Files()
    model = try LlamaModel(path: try files.write(TinySliding.model(), "sliding.gguf"))
    #expect(model.facts.slidingWindow == TinySliding.window)
  }

  private func context() throws -> LlamaContext {
    try Fixture.context(model, size: 256, sequences: 2)
  }

  private func tokens(_ range: Range<Int>) -> [Token] { range.map { Token($0 * 7 % 250) } }

  @Test func `is computed again once another sequence has taken its place`() throws {
    let context = try context()
    try context.prefill(tokens(500..<530))
    try context.prefill(tokens(0..<100), sequence: 1)
    // Thirty of the tokens fit into the old place; the others take cells of the second sequence.
    try context.clear(0)
    try context.prefill(tokens(600..<680))
    let prompt = tokens(0..<60) + tokens(900..<910)
    #expect(try context.prefill(prompt, sequence: 1).cached == 0)
    let warm = try Logits.last(of: context)

    let cold = try self.context()
    try cold.prefill(prompt)
    #expect(Logits.distance(warm, try Logits.last(of: cold)) < 0.01)
  }

  @Test func `is not needed to continue from the end`() throws {
    let context = try context()
    try context.prefill(tokens(500..<530))
    try context.prefill(tokens(0..<100), sequence: 1)
    // Takes every cell that no later token of the second sequence attends to.
    try context.clear(0)
    try context.prefill(tokens(600..<740))
    let first = llama_memory_seq_pos_min(context.memory, 1)
    #expect(first == Int32(101 - TinySliding.window), "the detector: such cells were taken")
    let prompt = tokens(0..<100) + tokens(900..<910)
    #expect(try context.prefill(prompt, sequence: 1).cached == 100)
    let warm = try Logits.last(of: context)

    let cold = try self.context()
    try cold.prefill(prompt)
    #expect(Logits.distance(warm, try Logits.last(of: cold)) < 0.01)
  }

  @Test func `is used as long as it is there`() throws {
    let context = try context()
    try context.prefill(tokens(0..<100))
    let prompt = tokens(0..<60) + tokens(900..<910)
    #expect(try context.prefill(prompt).cached == 60)
    let warm = try Logits.last(of: context)

    let cold = try self.context()
    try cold.prefill(prompt)
    #expect(Logits.distance(warm, try Logits.last(of: cold)) < 0.01)
    try cold.prefill(tokens(900..<910))
    #expect(Logits.distance(warm, try Logits.last(of: cold)) > 0.05, "This finds any two alike.")
  }
}
