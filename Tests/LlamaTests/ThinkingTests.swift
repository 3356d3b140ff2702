import AgentKit
import Testing

@testable import Llama

/// The level of thinking has whatever effect the chat template can give it.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Family.folder != nil, "deploy/libllama or deploy/peers has the templates")
)
struct ThinkingTests {
  private func generation(_ family: String) throws -> Generation {
    try #require(Family.all.first { $0.name == family }).generation()
  }

  private func request(_ level: ContextOptions.ReasoningLevel) -> GenerationRequest {
    var request = GenerationRequest(messages: #"[{"role": "user", "content": "Hello"}]"#)
    request.thinking = ReasoningBudget(level)
    request.sampling = .greedy
    return request
  }

  @Test(arguments: [
    (ContextOptions.ReasoningLevel.light, "Reasoning: low"), (.moderate, "Reasoning: medium"),
    (.deep, "Reasoning: high"), (.custom("max"), "Reasoning: max"),
  ])
  func `A template that knows levels is told the level`(
    level: ContextOptions.ReasoningLevel,
    words: String
  ) throws {
    let prompt = try generation("openai-gpt-oss-120b").prompt(of: request(level))
    #expect(prompt.contains(words))
  }

  @Test(arguments: [
    ("openai-gpt-oss-120b", ContextOptions.ReasoningLevel.light), ("Qwen-Qwen3-0.6B", .light),
    ("openai-gpt-oss-120b", .moderate),
  ])
  func `What every request begins with contains the level where the template writes it`(
    family: String,
    level: ContextOptions.ReasoningLevel
  ) throws {
    let generation = try generation(family)
    let model = generation.context.model
    let head = try model.prefix(of: .kind(reasoning: level))
    var request = request(level)
    request.messages =
      #"[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]"#
    let prompt = try generation.prompt(of: request)
    #expect(head.joined().contains("Be kind."))
    #expect(prompt.hasPrefix(head.joined()))
  }

  @Test(arguments: [ContextOptions.ReasoningLevel.light, .deep])
  func `What is computed ahead is what a request at the level begins with`(
    level: ContextOptions.ReasoningLevel
  ) throws {
    let generation = try generation("openai-gpt-oss-120b")
    let rules = Transcript.Instructions(
      segments: [.text(.init(content: "Be kind."))],
      toolDefinitions: []
    )
    let transcript = Transcript(entries: [.instructions(rules)])
    let requests = ["a", "b"].map { words in
      GenerationRequest(transcript, ContextOptions(reasoningLevel: level), goingOnWith: words)
    }
    try generation.warm(requests[0], unlike: requests[1], cancel: CancelFlag())
    let model = generation.context.model
    let bytes = generation.context.tokens().flatMap { model.piece(of: $0, showingControl: true) }
    let ahead = String(decoding: bytes, as: UTF8.self)
    var request = request(level)
    request.messages =
      #"[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]"#
    #expect(ahead.contains("Be kind."))
    #expect(try generation.prompt(of: request).hasPrefix(ahead))
    request.thinking = ReasoningBudget(.moderate)
    #expect(try !generation.prompt(of: request).hasPrefix(ahead))
  }

  @Test(arguments: [
    ("openai-gpt-oss-120b", "Reasoning: low"), ("google-gemma-4-31B-it", "<|think|>"),
    ("Qwen-Qwen3-0.6B", "assistant\n<think>\n\n</think>\n\n"),
    ("Bielik-11B-v3.0-Instruct", "assistant\n<think>\n"),
  ])
  func `An answer without thinking is asked for after the same words as one with it`(
    family: String,
    words: String
  ) throws {
    let generation = try generation(family)
    let templates = generation.context.model.templates
    var request = request(.light)
    request.messages =
      #"[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]"#
    let thinking = try AnswerForm(request, templates: templates).rendering
    request.skipsThinking = true
    let form = try AnswerForm(request, templates: templates)
    let asked = thinking.prompt.dropLast(thinking.generationPrompt.count)
    #expect(thinking.prompt.hasSuffix(thinking.generationPrompt))
    #expect(form.rendering.prompt.hasPrefix(asked))
    #expect(form.rendering.prompt.contains(words))
    #expect(form.thinkingBudget == 0)
  }

  @Test func `A level that a template does not know becomes the next that it does`() throws {
    let generation = try generation("tencent-Hy3")
    #expect(generation.context.model.templates.knowsEfforts)
    let moderate = try generation.prompt(of: request(.moderate))
    #expect(try generation.prompt(of: request(.deep)) == moderate)
    #expect(try generation.prompt(of: request(.light)) != moderate)
  }

  @Test(arguments: ["tencent-Hy3", "Qwen-Qwen3-0.6B"])
  func `A level by name that a template does not know is refused`(family: String) throws {
    let generation = try generation(family)
    #expect(throws: LlamaError.unknownReasoningLevel(level: "extreme")) {
      try generation.prompt(of: request(.custom("extreme")))
    }
  }

  @Test func `Without levels of its own a template lets its model think, or not`() throws {
    let generation = try generation("Qwen-Qwen3-0.6B")
    let thinking = try generation.prompt(of: request(.light))
    #expect(try generation.prompt(of: request(.deep)) == thinking)
    var silent = request(.light)
    silent.thinking = nil
    #expect(try generation.prompt(of: silent) == thinking + "<think>\n\n</think>\n\n")
  }

  @Test func `Thinking that the prompt has begun ends at its bound`() throws {
    let context = try generation("MiniMax-M2").context
    var wanted = RenderingRequest(messages: #"[{"role": "user", "content": "Hello"}]"#)
    wanted.isThinking = true
    let rendering = try context.model.templates.render(wanted)
    #expect(rendering.prompt.hasSuffix("<think>\n"))
    let prompt = context.model.tokens(of: rendering.prompt)
    let end = context.model.tokens(of: "</think>")
    func written(budget: Int32?) throws -> [Token] {
      var options = SamplingOptions.greedy
      options.thinkingBudget = budget
      let sampler = try Sampler(model: context.model, rendering: rendering, options: options)
      var tokens: [Token] = []
      while tokens.count < 40 {
        try context.prefill(prompt + tokens)
        tokens.append(try sampler.sample(from: context))
        try sampler.accept(tokens[tokens.count - 1])
      }
      return tokens
    }
    #expect(try written(budget: nil).firstRange(of: end) == nil)
    #expect(try written(budget: 6).firstRange(of: end)?.lowerBound == 6)
    #expect(try written(budget: 0).firstRange(of: end)?.lowerBound == 0)
  }

  @Test func `What was thought is told from the answer, and counted`() throws {
    let generation = try generation("MiniMax-M2")
    var request = request(.deep)
    request.maximumTokens = 12
    let result = try generation.run(request)
    #expect(!result.message.reasoning.isEmpty)
    #expect(result.message.content.isEmpty)
    #expect((1...12).contains(result.usage.reasoning))
  }

  @Test func `A model that cannot think refuses a level before it is asked`() async throws {
    let engine = try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 512)
    let model = LoadedLanguageModel(engine)
    #expect(!model.capabilities.contains(.reasoning))
    let session = LanguageModelSession(model: model, instructions: "You write titles.")
    let error = try #require(
      await #expect(throws: LanguageModelError.self) {
        try await session.respond(
          to: "A title.",
          contextOptions: ContextOptions(reasoningLevel: .light)
        )
      }
    )
    guard case .unsupportedCapability(let facts) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(facts.capability == .reasoning)
    #expect(session.usage.totalTokenCount == 0)
  }
}
