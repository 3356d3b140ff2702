import AgentKit
import Testing
import Transcripts

@Suite(.timeLimit(.minutes(5)))
struct `The options of a turn` {
  private let requests = Requests()
  private let look = Doing("look") { _ in "seen" }

  @Generable struct Place { var place: String }

  private static let schema = Place.generationSchema

  /// Runs a turn that answers the last prompt of a history.
  private func run(
    _ options: TurnOptions?,
    _ steps: ScriptedLanguageModel.Step...,
    after history: [Transcript.Entry] = []
  ) async throws -> [Transcript.Entry] {
    let profile = LanguageModelSession.Profile {
      Instructions("You fold paper.")
      look
    }
    .temperature(0.9)
    .samplingMode(.random(top: 5))
    .model(requests.model(steps: steps))
    let session = LanguageModelSession(profile: profile)
    session.replaceHistory(with: Transcript.HistoryView(history + [.said("Go")]))
    let host = RecordingHost(options: options)
    return try await Array(session.run(.transcript, host: host).entries)
  }

  @Test func `come before those of the profile, one by one`() async throws {
    let generation = GenerationOptions(temperature: 0.1, maximumResponseTokens: 7)
    _ = try await run(TurnOptions(generation: generation, seed: 4), .text("Ok"))
    let request = try #require(requests.all.first)
    #expect(request.generationOptions.temperature == 0.1)
    #expect(request.generationOptions.maximumResponseTokens == 7)
    #expect(request.generationOptions.samplingMode == .random(top: 5))
    #expect(request.seed == 4)
  }

  @Test func `put instructions after the agent's own, in every request and in no history`()
    async throws
  {
    let entries = try await run(
      TurnOptions(instructions: "Speak French."),
      .call("look"),
      .text("Oui")
    )
    #expect(requests.count == 2)
    for request in requests.all {
      #expect(
        request.transcript.outline.prefix(3) == [
          "instructions: You fold paper.", "instructions: Speak French.", "prompt: Go",
        ]
      )
      #expect(request.enabledToolDefinitions.map(\.name) == ["look"])
    }
    #expect(entries.map(\.outline) == ["calls: look{}", "output: seen", "response: Oui"])
  }

  @Test func `hold the final answer to a schema while tools can be called`() async throws {
    let entries = try await run(
      TurnOptions(schema: Self.schema),
      .call("look"),
      .text(#"{"place": "Oslo"}"#)
    )
    #expect(requests.all.map(\.schema) == [Self.schema, Self.schema])
    #expect(requests.tools == [["look"], ["look"]])
    guard case .response(let response)? = entries.last,
      case .structure(let answer)? = response.segments.first
    else {
      Issue.record("\(entries)")
      return
    }
    #expect(answer.content.jsonString == #"{"place": "Oslo"}"#)
  }

  @Test func `end an answer before a text, which is not shown, nor its beginning`() async throws {
    let host = RecordingHost(options: TurnOptions(stop: ["STOP", "never"]))
    let model = ScriptedLanguageModel(.text("One. Two. STOP Three."))
    let outcome = try await LanguageModelSession(model: model)
      .run(.prompt(.init(segments: [])), host: host)
    #expect(outcome.entries.map(\.outline) == ["response: One. Two. "])
    #expect(!host.log.lines.contains { $0.contains("S") })
  }

  @Test func `forbid calls, while the model may still read the tools`() async throws {
    let generation = GenerationOptions(toolCallingMode: .disallowed)
    _ = try await run(TurnOptions(generation: generation), .text("Ok"))
    let request = try #require(requests.all.first)
    #expect(request.enabledToolDefinitions.isEmpty)
    #expect(request.withheldToolDefinitions.map(\.name) == ["look"])
    #expect(request.generationOptions.toolCallingMode == .disallowed)
  }

  @Test func `ask models for reasoning that can reason, and others for none`() async throws {
    _ = try await run(TurnOptions(reasoningLevel: .light), .text("Ok"))
    #expect(requests.all.first?.contextOptions.reasoningLevel == .light)
    let others = Requests()
    let session = LanguageModelSession(model: Incapable(requests: others))
    session.replaceHistory(with: Transcript.HistoryView([.said("Go")]))
    let host = RecordingHost(options: TurnOptions(reasoningLevel: .light))
    _ = try await session.run(.transcript, host: host)
    #expect(others.all.map(\.contextOptions.reasoningLevel) == [nil])
  }

  @Test func `turn reasoning off at whatever level`() async throws {
    _ = try await run(TurnOptions(skipsReasoning: true), .text("Ok"))
    #expect(requests.all.first?.skipsReasoning == true)
  }

  @Test func `are those of the turn and not of a prompt before it`() async throws {
    let asked = TurnOptions(generation: .init(temperature: 0.1), schema: Self.schema)
    let earlier = asked.applied(to: .init(segments: [.text(.init(content: "Where?"))]))
    _ = try await run(TurnOptions(), .text("Ok"), after: [.prompt(earlier)])
    let request = try #require(requests.all.first)
    #expect(request.schema == nil)
    #expect(request.generationOptions.temperature == 0.9)
    // The model reads the earlier prompt as it was.
    #expect(request.transcript.contains(.prompt(earlier)))
  }

  @Test(arguments: [
    (TurnOptions(stop: [""]), "stop"),
    (TurnOptions(stop: Array(repeating: "x", count: 17)), "stop"),
    (TurnOptions(stop: ["x"], schema: schema), "stop"),
    (TurnOptions(generation: .init(temperature: 3)), "temperature"),
    (TurnOptions(generation: .init(maximumResponseTokens: 0)), "maximumResponseTokens"),
    (TurnOptions(generation: .init(samplingMode: .random(probabilityThreshold: 2))), "topP"),
    (TurnOptions(generation: .init(samplingMode: .random(top: 0))), "topK"),
    (TurnOptions(instructions: String(repeating: "x", count: 1 << 21)), "instructions"),
  ])
  func `are refused by name where no turn can have them`(options: TurnOptions, name: String) {
    let error = #expect(throws: InvalidValue.self) { try options.validate() }
    #expect(error?.description.hasPrefix("\(name): ") == true)
  }
}
