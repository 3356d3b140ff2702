import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct PrefillTests {
  private let model: LlamaModel

  init() throws {
    model = try Fixture.model()
  }

  @Test func `only what follows the common prefix is computed`() throws {
    let context = try Fixture.context(model)
    let first = Fixture.tokens(300, of: model)
    #expect(try context.prefill(first) == PrefillUsage(cached: 0, computed: 300))
    let longer = first + Fixture.tokens(20, of: model)
    #expect(try context.prefill(longer) == PrefillUsage(cached: 300, computed: 20))
    var other = first
    other[200] = first[200] + 1
    #expect(try context.prefill(other) == PrefillUsage(cached: 200, computed: 100))
    #expect(context.tokens() == other)
  }

  @Test func `the last token is always computed, for its logits`() throws {
    let context = try Fixture.context(model)
    let tokens = Fixture.tokens(50, of: model)
    try context.prefill(tokens)
    #expect(try context.prefill(tokens) == PrefillUsage(cached: 49, computed: 1))
    #expect(
      try context.prefill(Array(tokens.prefix(10))) == PrefillUsage(cached: 9, computed: 1)
    )
    #expect(context.tokens() == Array(tokens.prefix(10)))
  }

  @Test func `a prompt larger than a batch goes in pieces`() throws {
    var options = LlamaContext.Options()
    options.contextSize = 512
    options.batchSize = 32
    let context = try LlamaContext(model: model, options: options)
    #expect(try context.prefill(Fixture.tokens(500, of: model)).computed == 500)
  }

  @Test func `a prompt larger than the context is refused with its figures`() throws {
    let context = try Fixture.context(model, size: 256)
    let held = Fixture.tokens(10, of: model)
    try context.prefill(held)
    #expect(throws: LlamaError.contextSizeExceeded(contextSize: 256, tokenCount: 300)) {
      try context.prefill(Fixture.tokens(300, of: model))
    }
    #expect(context.tokens() == held)
    #expect(throws: LlamaError.emptyPrompt) { try context.prefill([]) }
  }

  @Test func `tokens that no vocabulary has are refused and leave the context as it was`() throws {
    let context = try Fixture.context(model)
    let held = Fixture.tokens(10, of: model)
    try context.prefill(held)
    #expect(throws: LlamaError.decodeFailed(code: -1)) {
      try context.prefill(held + [1_000_000])
    }
    #expect(context.tokens() == held)
    try context.prefill(held + held)
  }

  @Test func `sequences do not know of each other`() throws {
    let context = try Fixture.context(model, sequences: 2)
    let tokens = Fixture.tokens(100, of: model)
    try context.prefill(tokens)
    #expect(try context.prefill(tokens, sequence: 1).cached == 0)
    try context.clear(0)
    #expect(context.tokens(in: 0).isEmpty)
    #expect(context.tokens(in: 1) == tokens)
    context.clear()
    #expect(context.tokens(in: 1).isEmpty)
    #expect(throws: LlamaError.unknownSequence(2)) { try context.prefill(tokens, sequence: 2) }
    #expect(throws: LlamaError.unknownSequence(-1)) { try context.clear(-1) }
  }

  @Test func `sequences that together fill the context are told so`() throws {
    let context = try Fixture.context(model, size: 256, sequences: 2)
    try context.prefill(Fixture.tokens(200, of: model))
    #expect(throws: LlamaError.contextSizeExceeded(contextSize: 256, tokenCount: 300)) {
      try context.prefill(Fixture.tokens(100, of: model), sequence: 1)
    }
    #expect(context.tokens(in: 0).count == 200)
    #expect(context.tokens(in: 1).isEmpty)
  }

  @Test func `a saved sequence goes on in another context`() throws {
    let context = try Fixture.context(model)
    let tokens = Fixture.tokens(200, of: model)
    try context.prefill(tokens)
    let state = try context.state()
    let other = try Fixture.context(model, size: 512, sequences: 2)
    try other.restore(state, to: 1)
    #expect(try other.prefill(tokens + tokens, sequence: 1).cached == 200)
  }

  @Test func `a damaged state is refused and leaves the sequence empty`() throws {
    let context = try Fixture.context(model)
    try context.prefill(Fixture.tokens(20, of: model))
    let state = try context.state()
    let short = SequenceState(tokens: state.tokens, bytes: Array(state.bytes.prefix(100)))
    #expect(throws: LlamaError.stateRefused(byteCount: 100)) { try context.restore(short) }
    let empty = SequenceState(tokens: state.tokens, bytes: [])
    #expect(throws: LlamaError.stateRefused(byteCount: 0)) { try context.restore(empty) }
    let other = SequenceState(tokens: state.tokens + [1], bytes: state.bytes)
    #expect(throws: LlamaError.self) { try context.restore(other) }
    #expect(context.tokens().isEmpty)
    try context.prefill(state.tokens)
  }
}
