import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `An answer of a type` {
  private let requests = Requests()
  private let ann = #"{"name": "Ann", "age": 4}"#

  @Test func `is read from what the model generated`() async throws {
    let session = LanguageModelSession(model: requests.model(.text(ann)))
    let response = try await session.respond(to: "Who?", generating: Person.self)
    #expect(response.content == Person(name: "Ann", age: 4))
    #expect(response.rawContent.jsonString == ann)
    let request = try #require(requests.all.first)
    #expect(request.schema == Person.generationSchema)
    #expect(request.contextOptions.includeSchemaInPrompt == true)
    guard case .response(let entry) = session.transcript.last,
      case .structure(let segment) = entry.segments.first
    else {
      Issue.record("The answer is kept in its structure.")
      return
    }
    #expect(segment.schemaName == "Person")
    #expect(entry.segments.count == 1)
  }

  /// A number that only its own initializer rejects.
  struct Small: Generable {
    static var generationSchema: GenerationSchema { Int.generationSchema }
    var generatedContent: GeneratedContent { value.generatedContent }
    let value: Int

    init(_ content: GeneratedContent) throws {
      value = try Int(content)
      if value > 9 { throw TooLarge() }
    }

    struct TooLarge: Error {}
  }

  @Test func `that nothing can be made of fails the turn, and leaves nothing`() async throws {
    let exits = Log()
    let profile = LanguageModelSession.Profile { Instructions("Count.") }
      .model(ScriptedLanguageModel { _ in .text("12") })
      .onResponse { exits.add("response") }
      .onExit { exits.add("\($0 == .answered)") }
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: Small.TooLarge.self) {
      try await session.respond(to: "How many?", generating: Small.self)
    }
    await #expect(throws: Small.TooLarge.self) {
      try await session.streamResponse(to: "How many?", generating: Small.self).collect()
    }
    #expect(session.transcript.outline == ["instructions: Count."])
    #expect(exits.lines == ["false", "false"])
  }

  @Test func `is asked for in every spelling`() async throws {
    let text = ann
    let session = LanguageModelSession(model: ScriptedLanguageModel { _ in .text(text) })
    let people = [
      try await session.respond(to: "Who?", generating: Person.self).content,
      try await session.respond(to: Prompt("Who?")).content,
      try await session.respond(generating: Person.self) { "Who?" }.content,
      try await session.streamResponse(to: "Who?", generating: Person.self).collect().content,
      try await session.streamResponse(to: Prompt("Who?"), generating: Person.self).collect()
        .content,
      try await session.streamResponse(generating: Person.self) { "Who?" }.collect().content,
    ]
    #expect(people == Array(repeating: Person(name: "Ann", age: 4), count: 6))
  }

  @Test func `may be of a plain type`() async throws {
    let session = LanguageModelSession(model: requests.model(.text("[1, 2]"), .text("true")))
    #expect(try await session.respond(to: "Which?", generating: [Int].self).content == [1, 2])
    #expect(try await session.respond(to: "Is it?", generating: Bool.self).content)
  }

  @Test func `asks for no schema when it is text`() async throws {
    let session = LanguageModelSession(model: requests.model(.text(ann)))
    #expect(try await session.respond(to: "Who?").content == ann)
    #expect(requests.all.map(\.schema) == [nil])
    #expect(requests.all.map(\.contextOptions.includeSchemaInPrompt) == [nil])
  }
}

/// A type that a model is asked to generate.
@Generable
struct Person: Equatable {
  var name: String
  var age: Int?
}
