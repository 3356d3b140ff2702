import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct SamplerTests {
  private let context: LlamaContext
  private let rendering: ChatRendering

  init() throws {
    context = try Fixture.context()
    let request = RenderingRequest(messages: #"[{"role":"user","content":"Fold a crane."}]"#)
    rendering = try context.model.templates.render(request)
    try context.prefill(context.model.tokens(of: rendering.prompt))
  }

  /// The tokens chosen with each of many seeds.
  private func choices(_ options: SamplingOptions, banned: [Token] = []) throws -> [Token] {
    try (0..<200).map { seed in
      var options = options
      options.seed = UInt32(seed)
      return try Sampler(
        model: context.model,
        rendering: rendering,
        options: options,
        banned: banned
      ).sample(from: context)
    }
  }

  /// A thinking budget, unknown to this model, makes the sampler consider the whole vocabulary.
  private func choicesAmongAll(_ options: SamplingOptions, banned: [Token]) throws -> [Token] {
    var options = options
    options.thinkingBudget = 10
    return try choices(options, banned: banned)
  }

  @Test(arguments: [1, 2, 40, 100_000] as [Int32])
  func `choosing among the likeliest tokens is choosing among all`(width: Int32) throws {
    var options = SamplingOptions()
    (options.topK, options.temperature, options.topP, options.minP) = (width, 20, 1, 0)
    let free = try choices(options)
    #expect(Set(free).count > (width > 2 ? 5 : 0))
    #expect(try free == choicesAmongAll(options, banned: []))

    let banned = Array(Set(free))
    let others = try choices(options, banned: banned)
    #expect(Set(others).isDisjoint(with: banned))
    #expect(try others == choicesAmongAll(options, banned: banned))
  }

  @Test func `the last seed draws the same too`() throws {
    var options = SamplingOptions()
    (options.topK, options.temperature, options.topP, options.minP) = (0, 20, 1, 0)
    func drawn(_ seed: UInt32?) throws -> Set<Token> {
      options.seed = seed
      return try Set(
        (0..<50).map { _ in
          try Sampler(model: context.model, rendering: rendering, options: options)
            .sample(from: context)
        }
      )
    }
    #expect(try drawn(UInt32.max).count == 1)
    #expect(try drawn(nil).count > 1, "the detector: other draws differ")
  }

  @Test func `the likeliest token is the same with every seed`() throws {
    let likeliest = try choices(.greedy)
    #expect(Set(likeliest).count == 1)
    #expect(try likeliest == choicesAmongAll(.greedy, banned: []))
    let next = try choices(.greedy, banned: [likeliest[0]])
    #expect(Set(next).count == 1 && next[0] != likeliest[0])
  }
}
