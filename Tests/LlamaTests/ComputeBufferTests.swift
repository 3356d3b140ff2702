import Testing

@testable import Llama

@Suite(.timeLimit(.minutes(5))) struct `What steps compute in` {
  private func isWritten(_ context: LlamaContext) throws -> Bool {
    try #require(context.computeBuffer.pages).contains { $0 != 0 }
  }

  @Test func `is given back when a prompt has been computed`() throws {
    let model = try Fixture.model()
    let context = try Fixture.context(model)
    let tokens = Fixture.tokens(300, of: model)
    #expect(context.computeBuffer.pages == nil)
    // Proves that the check works: a step writes to the buffer and leaves its data there.
    try context.append(Array(tokens.prefix(100)), to: 0, cancel: nil)
    #expect(try isWritten(context))
    try context.prefill(tokens)
    #expect(try !isWritten(context))
  }

  @Test func `is not read after a step`() throws {
    let model = try Fixture.model()
    let request = RenderingRequest(messages: #"[{"role":"user","content":"Fold a crane."}]"#)
    let rendering = try model.templates.render(request)
    let prompt = model.tokens(of: rendering.prompt)
    func answer(givingBack: Bool) throws -> [Token] {
      let context = try Fixture.context(model)
      let sampler = try Sampler(model: model, rendering: rendering, options: .greedy)
      try context.append(prompt, to: 0, cancel: nil)
      return try (0..<24).map { _ in
        if givingBack { context.computeBuffer.giveBack() }
        let token = try sampler.sample(from: context)
        try context.append([token], to: 0, cancel: nil)
        return token
      }
    }
    #expect(try answer(givingBack: true) == answer(givingBack: false))
  }
}
