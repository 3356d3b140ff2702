import TestSupport
import Testing

@testable import Llama

/// A model that cannot forget a part of what it has read.
@Suite(.timeLimit(.minutes(5))) struct `A model that cannot rewind` {
  private let files: Files
  private let model: LlamaModel

  init() throws {
    files = try Files()
    model = try LlamaModel(path: try files.write(TinyHybrid.model(), "hybrid.gguf"))
    #expect(!model.facts.canRewind)
  }

  private func context() throws -> LlamaContext {
    try Fixture.context(model, size: 256, sequences: 2)
  }

  private func tokens(_ range: Range<Int>) -> [Token] { range.map { Token($0 * 7 % 250) } }

  @Test func `keeps what it holds when there is no room for more`() throws {
    let context = try context()
    try context.prefill(tokens(500..<700), sequence: 1)
    let held = tokens(0..<56)
    try context.prefill(held)
    #expect(throws: LlamaError.contextSizeExceeded(contextSize: 256, tokenCount: 257)) {
      try context.append([7], to: 0, cancel: nil)
    }
    #expect(context.tokens(in: 0) == held)
    #expect(try context.makeRoom(besides: 0))
    try context.append([7], to: 0, cancel: nil)
    #expect(context.tokens(in: 0) == held + [7])
    let warm = try Logits.last(of: context)

    let cold = try self.context()
    try cold.prefill(held + [7])
    #expect(Logits.distance(warm, try Logits.last(of: cold)) < 0.01)
    cold.clear()
    try cold.prefill([7])
    #expect(Logits.distance(warm, try Logits.last(of: cold)) > 0.05, "This finds any two alike.")
  }

  @Test func `keeps its instructions for the next conversation, and the one after that`() throws {
    let context = try Fixture.context(model, size: 512, sequences: 3)
    let head = tokens(0..<60)
    let instructions = PromptSegments([.init(.instructions, "Fold.")])
    let start = try context.allocateSequence(for: head, segments: instructions)
    try context.prefill(head, sequence: start.sequence)
    for question in [tokens(100..<110), tokens(200..<210), tokens(300..<310)] {
      let segments = PromptSegments(instructions.parts + [.init(.prompt, "\(question)")])
      let place = try context.allocateSequence(for: head + question, segments: segments)
      let usage = try context.prefill(head + question, sequence: place.sequence)
      #expect(usage.cached == head.count)
    }
    let warm = try Logits.last(of: context)
    let cold = try self.context()
    try cold.prefill(head + tokens(300..<310))
    #expect(Logits.distance(warm, try Logits.last(of: cold)) < 0.01)
  }

  @Test func `goes on from all that it holds, or from nothing`() throws {
    let context = try context()
    let held = tokens(0..<50)
    try context.prefill(held)
    #expect(try context.prefill(held + tokens(50..<60)).cached == 50)
    #expect(try context.prefill(held + tokens(90..<99)).cached == 0)
  }
}
