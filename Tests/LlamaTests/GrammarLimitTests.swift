import AgentKit
import Testing

@testable import Llama

/// Counts that llama.cpp's grammars can and cannot hold.
@Suite(.timeLimit(.minutes(5))) struct `A count in a guide` {
  private func schema<Value: Generable>(
    of type: Value.Type,
    _ guides: [GenerationGuide<Value>]
  ) throws -> GenerationSchema {
    let value = DynamicGenerationSchema(type: type, guides: guides)
    let root = DynamicGenerationSchema(
      name: "Form",
      properties: [.init(name: "value", schema: value)]
    )
    return try GenerationSchema(root: root, dependencies: [])
  }

  /// Makes llama.cpp read the grammar that it makes for answers that follow a schema.
  private func makeSampler(for schema: GenerationSchema) throws {
    let request = GenerationRequest(
      LanguageModelExecutorGenerationRequest(
        transcript: Transcript(entries: [
          .prompt(.init(segments: [.text(.init(content: "Go."))]))
        ]),
        enabledTools: [],
        schema: schema,
        generationOptions: GenerationOptions(),
        contextOptions: ContextOptions()
      )
    )
    let model = try Fixture.model()
    let rendering = try model.templates.render(request.rendering(showingTools: false))
    #expect(!rendering.grammar.isEmpty)
    _ = try Sampler(model: model, rendering: rendering, options: .greedy)
  }

  @Test func `is taken up to the limit, where llama.cpp takes it too`() throws {
    let lists: [GenerationGuide<[Int]>] = [
      .maximumCount(1998), .minimumCount(2001), .count(2001), .count(1...2001),
    ]
    let texts: [GenerationGuide<String>] = [
      .pattern(/[a-z]{2000}/), .pattern(/[a-z]{0,2000}/), .pattern(/([a-z]{0,99} ){0,99}/),
      .pattern(/([a-z]{0,900}|[0-9]{0,900})?/),
    ]
    let schemas =
      try lists.map { try schema(of: [Int].self, [$0]) }
      + texts.map { try schema(of: String.self, [$0]) }
    for schema in schemas {
      #expect(GrammarLimits.problem(in: schema.jsonSchema) == nil)
      try makeSampler(for: schema)
    }
  }

  @Test func `is refused where llama.cpp would not read its own grammar`() throws {
    let lists: [GenerationGuide<[Int]>] = [.maximumCount(2000), .count(5000), .minimumCount(2002)]
    let texts: [GenerationGuide<String>] = [
      .pattern(/[a-z]{2001}/), .pattern(/([a-z]{0,1000}|[0-9]{0,998})?/),
    ]
    let schemas =
      try lists.map { try schema(of: [Int].self, [$0]) }
      + texts.map { try schema(of: String.self, [$0]) }
    for schema in schemas {
      #expect(GrammarLimits.problem(in: schema.jsonSchema) != nil)
      #expect(throws: LlamaError.self) { try makeSampler(for: schema) }
    }
  }

  @Test func `is refused where llama.cpp's grammar would leave it out`() throws {
    let list = try schema(of: [Int].self, [.maximumCount(100_000)])
    #expect(GrammarLimits.problem(in: list.jsonSchema) != nil)
    let text = try schema(of: String.self, [.pattern(/.{0,5000}/)])
    #expect(GrammarLimits.problem(in: text.jsonSchema) != nil)
    // A brace that is a character counts nothing.
    let braces = try schema(of: String.self, [.pattern(/\{5000\}[{(]/)])
    #expect(GrammarLimits.problem(in: braces.jsonSchema) == nil)
  }

  @Test func `beyond the limit is refused before the model is asked, with where and how much`()
    async throws
  {
    let engine = try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 256)
    func problem(_ ask: (LanguageModelSession) async throws -> Void) async -> String {
      let model = LoadedLanguageModel(engine)
      do {
        try await ask(LanguageModelSession(model: model, tools: [Sorting()]))
      } catch LanguageModelError.unsupportedGenerationGuide(let facts) {
        return facts.debugDescription
      } catch {
        Issue.record(error)
      }
      return ""
    }
    let remedy = "Lower the count, or leave it out and check the value."
    let offered =
      "The tool 'sort' cannot be offered to the model. In the property 'names': The guides ask for"
      + " up to 2000 elements, but llama.cpp can hold a model to 1998 at most. \(remedy)"
    #expect(await problem { try await $0.respond(to: "Go") } == offered)
    let followed =
      "The answer cannot follow the schema 'Menu'. In the property 'dishes.code': The pattern comes"
      + " to 3000 repetitions in one place, but llama.cpp can hold a model to 2000 at most."
      + " \(remedy)"
    #expect(
      await problem {
        try await $0.respond(
          to: "Go",
          generating: Menu.self,
          options: .init(toolCallingMode: .disallowed)
        )
      } == followed
    )
  }
}

private struct Sorting: AgentKit.Tool {
  @Generable
  struct Arguments {
    @Guide(.maximumCount(2000)) var names: [String]
  }

  let name = "sort"
  let description = "Sorts names."

  func call(arguments: Arguments) async throws -> String {
    arguments.names.sorted().joined(separator: ", ")
  }
}

@Generable
private struct Menu {
  var dishes: [Dish]?
}

@Generable
private struct Dish {
  @Guide(/[a-z]{3000}/) var code: String
}
