import AgentKit
import Testing

/// Apple's behavior: answers whose form a schema determines.
@Suite(.timeLimit(.minutes(5)))
struct `An answer with a structure` {
  private let requests = Requests()
  private let ann = #"{"name": "Ann"}"#

  private func prompts(_ session: LanguageModelSession) -> [Transcript.Prompt] {
    session.transcript.compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } }
  }

  @Test func `an answer that breaks off is a ParsingError`() async {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text(#"{"name": "A"#)))
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Who?", generating: Person.self)
    }
    #expect(error?.rawContent == #"{"name": "A"#)
    #expect(session.transcript.isEmpty)
  }

  @Test func `whether the schema is shown is one knob, which the prompt's entry keeps`()
    async throws
  {
    let session = LanguageModelSession(
      model: requests.model(
        .text(ann),
        .text(ann),
        .text(ann),
        .text(ann),
        .text(ann),
        .text("Ann")
      )
    )
    try await session.respond(to: "Who?", generating: Person.self)
    try await session.respond(to: "Who?", generating: Person.self, includeSchemaInPrompt: false)
    try await session.respond(
      to: "Who?",
      generating: Person.self,
      contextOptions: ContextOptions(includeSchemaInPrompt: false)
    )
    try await session.respond(to: "Who?", schema: Person.generationSchema)
    try await session.respond(
      to: "Who?",
      generating: Person.self,
      contextOptions: ContextOptions()
    )
    try await session.respond(to: "Who?")
    let shown = [true, false, false, true, nil, nil]
    #expect(requests.all.map(\.contextOptions.includeSchemaInPrompt) == shown)
    #expect(prompts(session).map(\.contextOptions.includeSchemaInPrompt) == shown)
  }

  @Test func `the prompt's entry keeps the form of the answer, and all that came with it`()
    async throws
  {
    let session = LanguageModelSession(model: requests.model(.text(ann), .text("Ann")))
    try await session.respond(
      to: "Who?",
      generating: Person.self,
      options: GenerationOptions(temperature: 0.5),
      metadata: ["from": "the door", "count": 2]
    )
    try await session.respond(to: "Who?")
    let kept = prompts(session)
    #expect(kept.map { $0.responseFormat?.name } == ["Person", nil])
    #expect(kept[0].options == GenerationOptions(temperature: 0.5))
    #expect(kept[0].metadata["from"] == GeneratedContent("the door"))
    #expect(requests.all[0].metadata["count"] == GeneratedContent(2))
    #expect(requests.all.map { $0.schema?.name } == ["Person", nil])
  }

  @Test func `the answer is one segment that names its schema`() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Guest",
        properties: [.init(name: "name", schema: .init(type: String.self))]
      ),
      dependencies: []
    )
    let session = LanguageModelSession(model: requests.model(.text(ann)))
    let response = try await session.respond(to: "Who?", schema: schema)
    #expect(try response.content.value(String.self, forProperty: "name") == "Ann")
    guard case .response(let entry) = session.transcript.last,
      case .structure(let segment)? = entry.segments.first
    else {
      Issue.record("The answer is kept in its structure.")
      return
    }
    #expect(entry.segments.count == 1)
    #expect(segment.schemaName == "Guest")
    #expect(segment.content.jsonString == ann)
  }

  @Test func `every form of a runtime schema's request is answered`() async throws {
    let answer = ann
    let session = LanguageModelSession(model: ScriptedLanguageModel { _ in .text(answer) })
    let schema = Person.generationSchema
    let contents = [
      try await session.respond(to: Prompt("Who?"), schema: schema).content,
      try await session.respond(to: "Who?", schema: schema, includeSchemaInPrompt: false).content,
      try await session.respond(schema: schema) { "Who?" }.content,
      try await session.respond(to: "Who?", schema: schema, metadata: ["a": 1]).content,
      try await session.respond(schema: schema, contextOptions: .init()) { "Who?" }.content,
      try await session.streamResponse(to: Prompt("Who?"), schema: schema).collect().content,
      try await session.streamResponse(to: "Who?", schema: schema, metadata: [:]).collect().content,
      try await session.streamResponse(schema: schema) { "Who?" }.collect().content,
    ]
    #expect(contents.map(\.jsonString) == Array(repeating: ann, count: 8))
  }

  @Test func `what a model cannot do is refused before it is asked`() async throws {
    let requests = Requests()
    func problem(
      _ ask: (LanguageModelSession) async throws -> Void
    ) async -> LanguageModelCapabilities.Capability? {
      let session = LanguageModelSession(model: Incapable(requests: requests), tools: [Plain()])
      do {
        try await ask(session)
      } catch LanguageModelError.unsupportedCapability(let facts) {
        if facts.capability == .toolCalling { #expect(facts.debugDescription.contains("plain")) }
        return facts.capability
      } catch {
        Issue.record(error)
      }
      return nil
    }
    let without = GenerationOptions(toolCallingMode: .disallowed)
    #expect(
      await problem { try await $0.respond(to: "Go", generating: Person.self, options: without) }
        == .guidedGeneration
    )
    #expect(await problem { try await $0.respond(to: "Go") } == .toolCalling)
    #expect(
      await problem {
        try await $0.respond(
          to: "Go",
          options: without,
          contextOptions: ContextOptions(reasoningLevel: .light)
        )
      } == .reasoning
    )
    #expect(requests.count == 0)
    #expect(await problem { try await $0.respond(to: "Go", options: without) } == nil)
    #expect(requests.count == 1)
  }

  @Test func `a guide that no model can be held to is refused before the model is asked`() async {
    let session = LanguageModelSession(model: requests.model(.text(#"{"word": "a"}"#)))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Go", generating: Rhyme.self)
    }
    guard case .unsupportedGenerationGuide(let facts) = error else {
      Issue.record("\(String(reflecting: error))")
      return
    }
    #expect(facts.schemaName == "Rhyme")
    #expect(facts.debugDescription.contains(#"(\w+) \1"#))
    #expect(requests.count == 0)
  }
}

@Generable
private struct Rhyme {
  @Guide(/(\w+) \1/) var word: String
}
