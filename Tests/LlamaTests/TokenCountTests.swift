import AgentKit
import Llama
import Testing

/// The token count of a loaded model equals the cost of a request to it.
@Suite(.timeLimit(.minutes(5))) struct TokenCountTests {
  private let engine: LlamaEngine
  private let model: LoadedLanguageModel

  init() throws {
    engine = try LlamaEngine(modelAt: Fixture.modelPath, contextSize: 1024)
    model = LoadedLanguageModel(engine)
  }

  private var entries: [Transcript.Entry] {
    [
      .instructions(
        .init(segments: [.text(.init(content: "You write titles."))], toolDefinitions: [])
      ),
      .prompt(.init(segments: [.text(.init(content: "A title for a paper boat."))])),
    ]
  }

  @Test func `The facts are the file's`() {
    #expect(model.contextSize == 1024)
    #expect(model.displayName == engine.facts.name)
    #expect(model.languages.isEmpty)
  }

  @Test func `A text is counted by the vocabulary`() {
    #expect(model.tokenCount(of: "") == 0)
    #expect(model.tokenCount(of: "A paper boat.") > 0)
    #expect(model.tokenCount(of: "A paper boat. A paper boat.") > model.tokenCount(of: "A paper"))
  }

  @Test func `Entries are what a request is, but for the beginning of the answer`() async throws {
    let counted = try await model.tokenCount(of: entries, tools: [])
    let request = LanguageModelExecutorGenerationRequest(
      transcript: Transcript(entries: entries),
      enabledTools: [],
      generationOptions: GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 1),
      contextOptions: ContextOptions()
    )
    let session = LanguageModelSession(model: model, instructions: "You write titles.")
    let response = try await session.respond(
      to: "A title for a paper boat.",
      options: request.generationOptions
    )
    let opening = model.tokenCount(of: "<|im_start|>assistant\n")
    #expect(response.usage.input.totalTokenCount == counted + opening)
  }

  @Test func `A tool is counted with what the template says about it`() async throws {
    let definition = Transcript.ToolDefinition(
      name: "weigh",
      description: "Weighs.",
      parameters: String.generationSchema
    )
    let without = try await model.tokenCount(of: entries, tools: [])
    let with = try await model.tokenCount(of: entries, tools: [definition])
    #expect(with > without + model.tokenCount(of: "weigh"))
  }
}
