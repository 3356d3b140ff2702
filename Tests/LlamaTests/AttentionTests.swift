import Testing

@testable import Llama

/// Batches of few and many tokens, and of sizes at which llama.cpp switches algorithms.
@Suite(.timeLimit(.minutes(10))) struct `Tokens that are computed together` {
  private let past = 300

  @Test(arguments: [2, 3, 5, 17, 25, 31, 33, 64, 65, 127])
  func `leave the model with what it has of them one by one`(count: Int) throws {
    let context = try Fixture.context()
    let tokens = Fixture.tokens(past + count, of: context.model)
    try context.prefill(Array(tokens.prefix(past)))
    #expect(try context.prefill(tokens).computed == count)
    let together = try Logits.last(of: context)

    try context.prefill(Array(tokens.prefix(past)))
    for end in (past + 1)...tokens.count {
      #expect(try context.prefill(Array(tokens.prefix(end))).computed == 1)
    }
    let oneByOne = try Logits.last(of: context)
    #expect(Logits.distance(together, oneByOne) < 0.05)

    try context.prefill(tokens.reversed())
    #expect(
      Logits.distance(try Logits.last(of: context), oneByOne) > 0.1,
      "This would find any two alike."
    )
  }
}
