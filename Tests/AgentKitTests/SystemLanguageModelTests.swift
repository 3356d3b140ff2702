import AgentKit
import Foundation
import Testing

/// Checks that `SystemLanguageModel` reflects the model behind it.
///
/// The model is global to the process, so all tests that configure one, or rely on there being
/// none, are in this serialized suite.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SystemLanguageModelTests {
  private let model = SystemLanguageModel.default

  @Test func `Without a configured model nothing is available and nothing can be counted`()
    async throws
  {
    #expect(model.availability == .unavailable(.modelNotReady))
    #expect(!model.isAvailable)
    #expect(model.contextSize == 0)
    #expect(model.variant.displayName == "")
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await model.tokenCount(for: "one two")
    }
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await model.tokenCount(for: [Transcript.Entry]())
    }
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession(instructions: "Rules.").respond(to: "Hi")
    }
    // That is what the caller hears, whatever the request needs.
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession().respond(to: "Hi", generating: Int.self)
    }
  }

  @Test func `Facts and counts are the configured model's`() async throws {
    SystemLanguageModel.configure(CountingModel(languages: ["en", "pt-BR"]))
    defer { SystemLanguageModel.configure(nil) }
    #expect(model.availability == .available)
    #expect(model.contextSize == 321)
    #expect(model.variant.displayName == "Counting")
    #expect(model.supportsLocale(Locale(identifier: "en_GB")))
    #expect(model.supportsLocale(Locale(identifier: "pt_PT")))
    #expect(!model.supportsLocale(Locale(identifier: "de_DE")))
    #expect(
      model.supportedLanguages == [
        Locale.Language(identifier: "en"), Locale.Language(identifier: "pt-BR"),
      ]
    )
    #expect(try await model.tokenCount(for: "one two three") == 3)
    #expect(try await model.tokenCount(for: Instructions("one two")) == 2)
    let schema = String.generationSchema
    #expect(try await model.tokenCount(for: schema) > 0)
  }

  @Test func `A model that lists no languages rules none out`() async throws {
    SystemLanguageModel.configure(CountingModel(languages: []))
    defer { SystemLanguageModel.configure(nil) }
    #expect(model.supportsLocale(Locale(identifier: "sw_KE")))
    #expect(model.supportedLanguages.isEmpty)
  }

  @Test func `Entries are counted with their marks and with the tools of their instructions`()
    async throws
  {
    let definition = Transcript.ToolDefinition(tool: EchoTool())
    let entries: [Transcript.Entry] = [
      .instructions(
        .init(segments: [.text(.init(content: "be kind"))], toolDefinitions: [definition])
      ),
      .prompt(.init(segments: [.text(.init(content: "hello you there"))])),
    ]
    SystemLanguageModel.configure(CountingModel(languages: []))
    defer { SystemLanguageModel.configure(nil) }
    // Five words, two tokens of markup per entry, and ten per tool.
    #expect(try await model.tokenCount(for: entries) == 5 + 4 + 10)
    #expect(try await model.tokenCount(for: entries.dropFirst()) == 3 + 2)
    #expect(try await model.tokenCount(for: [Transcript.Entry]()) == 0)
  }

  @Test func `Tools cost what a request with them has more`() async throws {
    SystemLanguageModel.configure(CountingModel(languages: []))
    defer { SystemLanguageModel.configure(nil) }
    #expect(try await model.tokenCount(for: [EchoTool(), EchoTool()]) == 20)
    #expect(try await model.tokenCount(for: [any Tool]()) == 0)
  }

  @Test func `A model that does not run in this process is available and cannot be counted`()
    async throws
  {
    SystemLanguageModel.configure(ScriptedLanguageModel(.text("yes")))
    defer { SystemLanguageModel.configure(nil) }
    #expect(model.isAvailable)
    #expect(model.contextSize == 0)
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await model.tokenCount(for: "one")
    }
    #expect(try await model.local() == nil)
  }

  @available(*, deprecated)
  @Test func `It explains a refusal of version 26, given what led to it`() async throws {
    let requests = Requests()
    SystemLanguageModel.configure(requests.model(.text("It is a secret.")))
    defer { SystemLanguageModel.configure(nil) }
    let refusal = LanguageModelSession.GenerationError.Refusal(
      transcriptEntries: [.prompt(.init(segments: [.text(.init(content: "Who?"))]))]
    )
    #expect(try await refusal.explanation.content == "It is a secret.")
    #expect(requests.all[0].transcript.map(\.description).first == "Who?")
    #expect(requests.all[0].transcript.count == 2)
  }

  @Test func `It is prewarmed at the level of reasoning that its requests have`() {
    let warmed = WarmedLevels()
    SystemLanguageModel.configure(LevelModel(warmed: warmed))
    defer { SystemLanguageModel.configure(nil) }
    let profile = LanguageModelSession.Profile { Instructions("You bake.") }.reasoningLevel(.deep)
    LanguageModelSession(profile: profile).prewarm()
    #expect(warmed.levels == [.deep])
  }
}

private struct EchoTool: Tool {
  let description = "Repeats."

  func call(arguments: String) async throws -> String { arguments }

  var parameters: GenerationSchema { String.generationSchema }
}

/// A model that counts words, plus two for an entry's markup and ten for a tool.
private struct CountingModel: LocalLanguageModel {
  let languages: [String]
  let contextSize = 321
  let displayName = "Counting"
  let visionUnavailable: String? = nil

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.toolCalling]) }
  var executorConfiguration: Executor.Configuration { .init() }

  func tokenCount(of text: String) -> Int { text.split(separator: " ").count }

  func tokenCount(
    of entries: [Transcript.Entry],
    tools: [Transcript.ToolDefinition]
  ) async throws -> Int {
    entries.reduce(10 * tools.count) { $0 + tokenCount(of: $1.text) + 2 }
  }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}

    init(configuration: Configuration) throws {}

    func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: CountingModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {}
  }
}
