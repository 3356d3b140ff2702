import AgentKit
import Foundation
import Testing

@testable import Llama

/// Compares every chat template that ships with llama.cpp with what llama-server made of it.
///
/// `Families/make` recorded the replies of llama-server. Given the name of a family, it prints both
/// sides of a difference.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: Family.folder != nil, "deploy/libllama installs the templates")
)
struct FamilyTests {
  @Test func `What llama-server was asked is what transcripts are`() {
    #expect(Family.all.count == 70)
    for conversation in FamilyCase.allCases {
      let messages = ChatMessages(conversation.entries)
      #expect(messages.content == conversation.messages, "\(conversation)")
    }
  }

  @Test(arguments: Family.all)
  func `Conversations are rendered as llama-server renders them`(family: Family) throws {
    let generation = try family.generation()
    let templates = generation.context.model.templates
    let carriesTools = try templates.toolSyntax().carriesTools
    for conversation in FamilyCase.allCases {
      let prompt = try? generation.prompt(of: conversation.request)
      // llama-server leaves out, silently, the tools that a template does not know, and of several
      // calls at once all but the first.
      let isLeftOut =
        try carriesTools
        ? conversation.callsAtOnce && !templates.supports(.callsAtOnce, besideTools: true)
        : conversation.hasTools
      if isLeftOut {
        #expect(prompt != nil && prompt?.digest != family.prompts[conversation.rawValue])
        continue
      }
      #expect(
        prompt?.digest ?? "refused" == family.prompts[conversation.rawValue],
        "\(conversation): \(prompt ?? "")"
      )
    }
  }

  @Test(
    arguments: Family.all.filter { !withoutTools.contains($0.name) },
    [ContextOptions.ReasoningLevel.light, .deep]
  )
  func `A required call is asked for after the same words as an answer, at any level`(
    family: Family,
    level: ContextOptions.ReasoningLevel
  ) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    for conversation in [FamilyCase.tools, .answered] {
      var request = conversation.request
      request.thinking = ReasoningBudget(level)
      // Some templates cannot express two calls at once.
      guard let allowed = try? AnswerForm(request, templates: model.templates).rendering
      else { continue }
      request.toolMode = .required
      let required = try AnswerForm(request, templates: model.templates).rendering
      let isEnd = allowed.prompt.hasSuffix(allowed.generationPrompt)
      let words = allowed.prompt.dropLast(isEnd ? allowed.generationPrompt.count : 0)
      #expect(required.prompt.hasPrefix(words), "\(conversation): \(required.prompt)")
      // What was computed ahead is used by one as by the other.
      let head = try request.headTokens(model: model)
      let shared = [allowed, required].map { rendering in
        zip(head, model.promptTokens(of: rendering.prompt)).prefix { $0 == $1 }.count
      }
      #expect(shared[0] == shared[1], "\(conversation)")
    }
  }

  @Test(arguments: [
    ("openai-gpt-oss-120b", "Reasoning: low", false),
    ("google-gemma-4-31B-it", "<|think|>", false),
    ("Qwen-Qwen3-0.6B", "<think>\n\n</think>\n\n", false),
    ("Bielik-11B-v3.0-Instruct", "assistant\n<think>\n", true),
  ])
  func `A required call is asked for at the level, and thinking that has begun is ended`(
    name: String,
    words: String,
    isEnded: Bool
  ) throws {
    let family = try #require(Family.all.first { $0.name == name })
    let model = try Fixture.model(chatTemplate: family.template())
    var request = FamilyCase.required.request
    request.thinking = ReasoningBudget(.light)
    let form = try AnswerForm(request, templates: model.templates)
    #expect(form.rendering.prompt.contains(words))
    #expect(AnswerOpening(form, model: model).ungoverned.isEmpty != isEnded)
  }

  @Test(arguments: [
    ("Qwen-Qwen2.5-7B-Instruct", true), ("meta-llama-Llama-3.1-8B-Instruct", false),
  ])
  func `Tools that are withheld are shown where calls begin with a token`(
    name: String,
    isShown: Bool
  ) throws {
    let generation = try #require(Family.all.first { $0.name == name }).generation()
    var request = FamilyCase.tools.request
    request.maximumTokens = 1
    var inputs: [Int] = []
    for mode in [GenerationRequest.ToolMode.allowed, .disallowed, .withheld] {
      request.toolMode = mode
      inputs.append(try generation.run(request).usage.input)
    }
    #expect(inputs[0] != inputs[1])
    #expect(inputs[2] == inputs[isShown ? 0 : 1])
  }

  /// Families with a mark for the beginning of text, without which llama.cpp reads an answer as an
  /// error: what begins a call is kept from them even where there are no tools.
  private static let markingText: Set<String> = [
    "Cohere2MoE", "CohereForAI-c4ai-command-r7b-12-2024-tool_use", "Kimi-K3",
  ]

  @Test(arguments: Family.all)
  func `What models write as a call is text where there are no tools`(family: Family) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    let form = try AnswerForm(FamilyCase.plain.request, templates: model.templates)
    #expect(form.isWithoutCalls == Self.markingText.contains(family.name))
    guard !form.isWithoutCalls, let writing = family.writings.first(where: { $0.kind == "one" })
    else { return }
    let text = writing.text + "\nThis was a call."
    guard let opener = form.openers.first(where: { text.contains($0) }),
      let start = text.range(of: opener)?.lowerBound
    else { return }
    for isPartial in [false, true] {
      let message = try form.rendering.parse(Array(text.utf8), isPartial: isPartial)
      #expect(message.calls.isEmpty)
      // What precedes the opener may be reasoning.
      #expect(message.content.hasSuffix(String(text[start...])), "\(message)")
    }
  }

  @Test(arguments: Family.all)
  func `What models write is read as llama-server reads it`(family: Family) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    for writing in family.writings {
      for choice in [RenderingRequest.ToolChoice.auto, .required] {
        var request = RenderingRequest(
          messages: #"[{"role": "user", "content": "How is it in Oslo?"}]"#
        )
        request.tools = FamilyCase.definitionsText
        request.toolChoice = choice
        if writing.kind == "thought" {
          request.isThinking = true
          request.effort = model.templates.knowsEfforts ? "high" : nil
        }
        var message = try model.templates.render(request)
          .parse(Array(writing.text.utf8), isPartial: false)
        for index in message.calls.indices { message.calls[index].id = "" }
        #expect(message == writing.message, "\(writing.kind), \(choice): \(writing.text)")
      }
    }
  }

  /// Calls of these families have no opener of their own, so an answer may begin like a call.
  @Test(
    arguments: ["Llama-3.1-8B", "Llama-3.2-3B", "Llama-3.3-70B"],
    [
      "It is {wet}.", #"{"type": "wet"}"#, "{",
      #"{"name": "weather", "parameters": {}} and {more}"#,
    ]
  )
  func `An answer that begins like a call is an answer`(name: String, text: String) throws {
    let family = try #require(Family.all.first { $0.name == "meta-llama-\(name)-Instruct" })
    let generation = try family.generation()
    let plan = try GenerationPlan(FamilyCase.tools.request, generation.context)
    var answer = Answer(plan, allowsParallelCalls: true)
    answer.append(Array(text.utf8))
    let (message, isCallCut) = try answer.finished(.stop) {
      generation.context.renderingWithoutCalls(of: FamilyCase.tools.request)
    }
    #expect(message.content == text)
    #expect(message.calls.isEmpty && !isCallCut)
  }

  /// What a template makes of tools and schemas is cached for later messages.
  @Test(arguments: Family.all)
  func `A conversation is rendered the same after others as at first`(family: Family) throws {
    func renderings(_ conversations: [FamilyCase]) throws -> [FamilyCase: Everything] {
      let templates = try Fixture.model(chatTemplate: family.template()).templates
      return conversations.reduce(into: [:]) { renderings, conversation in
        let rendering = try? templates.render(conversation.rendering)
        renderings[conversation] = rendering.map(Everything.init)
      }
    }
    // Of any two, each is rendered once before the other and once after it.
    let (there, back) = (FamilyCase.allCases, FamilyCase.allCases.reversed())
    let (one, other) = (try renderings(there), try renderings(Array(back)))
    for conversation in there { #expect(one[conversation] == other[conversation]) }
  }

  /// Families whose tools llama.cpp cannot render or parse; they are refused for agents with tools.
  private static let withoutTools: Set<String> = [
    "HuggingFaceTB-SmolLM3-3B",
    "deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
    "deepseek-ai-DeepSeek-V3.1", "fireworks-ai-llama-3-firefunction-v2", "google-gemma-2-2b-it",
    "ibm-granite-granite-3.3-2B-Instruct", "llama-cpp-rwkv-world",
    "microsoft-Phi-3.5-mini-instruct",
  ]

  @Test func `It is known which families cannot carry tools`() throws {
    let refused = try Family.all.filter { family in
      try !Fixture.model(chatTemplate: family.template()).templates.toolSyntax().carriesTools
    }
    #expect(Set(refused.map(\.name)) == Self.withoutTools)
  }

  /// Families with tools for which `Families/make` found no text that is read as one required call.
  ///
  /// Their templates render no such call, or not as it is written.
  private static let withoutCall: Set<String> = [
    "CohereForAI-c4ai-command-r-plus-tool_use", "Kimi-K3", "NVIDIA-Nemotron-Nano-v2",
    "deepseek-ai-DeepSeek-V3.2", "llama-cpp-deepseek-r1",
  ]

  @Test func `It is known of which families no call is written down`() {
    let families = Family.all.filter { !$0.writings.contains { $0.kind == "one" } }
    #expect(Set(families.map(\.name)) == Self.withoutTools.union(Self.withoutCall))
  }

  /// Checks that the grammar of a required call admits the family's own calls.
  @Test(arguments: Family.all.filter { !withoutTools.union(withoutCall).contains($0.name) })
  func `What a family writes is what may be written when a call is required`(
    family: Family
  ) throws {
    let model = try Fixture.model(chatTemplate: family.template())
    let writing = try #require(family.writings.first { $0.kind == "one" })
    var request = RenderingRequest(messages: FamilyCase.required.messages.jsonString)
    request.tools = FamilyCase.definitionsText
    let free = try model.templates.render(request)
    var text = Substring(writing.text)
    let sampler: Sampler
    if free.isGrammarLazy, let opener = free.triggers.lazy.compactMap(\.literal).first {
      sampler = try Sampler(model: model, rendering: free, options: .greedy, grammar: .atOnce)
      // The grammar does not cover the text before the call.
      text = text[try #require(text.range(of: opener)).lowerBound...]
    } else {
      request.toolChoice = .required
      let held = try model.templates.render(request)
      sampler = try Sampler(model: model, rendering: held, options: .greedy)
    }
    for token in model.tokens(of: String(text)) { try sampler.accept(token) }
    // Proves that the grammar is active: text that no call begins with is refused.
    if free.isGrammarLazy {
      let other = try Sampler(model: model, rendering: free, options: .greedy, grammar: .atOnce)
      #expect(throws: LlamaError.self) {
        for token in model.tokens(of: "no call") { try other.accept(token) }
      }
    }
  }
}

/// Everything that a rendering contains.
private struct Everything: Equatable {
  let texts: [String]
  let lists: [[String]]
  let triggers: [ChatRendering.Trigger]
  let flags: [Bool]
  let call: GeneratedMessage?

  init(_ rendering: ChatRendering) {
    texts = [
      rendering.prompt, rendering.grammar, rendering.generationPrompt, rendering.thinkingStart,
    ]
    lists = [rendering.stops, rendering.preservedTokens, rendering.thinkingEnds]
    triggers = rendering.triggers
    flags = [rendering.isGrammarLazy, rendering.supportsThinking]
    call = try? rendering.parse(Array("Good day.".utf8), isPartial: false)
  }
}

extension FamilyCase {
  fileprivate var rendering: RenderingRequest {
    var request = RenderingRequest(messages: messages.jsonString)
    if hasTools { request.tools = Self.definitionsText }
    return request
  }

  /// All definitions as JSON, as a template receives them.
  fileprivate static let definitionsText =
    GeneratedContent(kind: .array(definitions.map(\.chatTool))).jsonString
}
