import Testing

/// Checks that every documented spelling compiles in each way that a client may compile.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A client of AgentKit` {
  @Test(arguments: [
    [], ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"],
    ["-enable-upcoming-feature", "MemberImportVisibility"],
  ])
  func `may use every documented spelling`(flags: [String]) async throws {
    let output = try await SwiftCompiler.complaints(about: client, flags: flags)
    #expect(output == "")
  }
}

private let client = """
  @Generable enum Odd: Equatable {
    case `default`(`in`: Int, `var`: String, `inout`: Bool)
    case pair(Int, value1: String)
    case triple(value2: Int, Int, value3: Int, Int)
    case `two words`(Int)
    case `class`
  }

  extension SessionPropertyValues {
    @SessionPropertyEntry var note: String? = nil
    @SessionPropertyEntry var counts: [String: Int] = [:]
  }

  final class Plain { var isLate = false }

  @Observable final class Watched { var isLate = false }

  struct Greeter: LanguageModelSession.DynamicProfile {
    @SessionProperty(\\.history) var history
    @SessionProperty(\\.note) var note
    let state = Plain()
    let tools: [any Tool] = [Clock(), Quit()]

    var body: some DynamicProfile {
      if state.isLate {
        Profile {
          Late()
          tools
        }
        .model(SystemLanguageModel())
        .model(PrivateCloudComputeLanguageModel())
        .model(SystemLanguageModel.default as any LanguageModel)
        .temperature(nil)
        .samplingMode(.random(top: 3, seed: 7))
        .samplingMode(.random(probabilityThreshold: 0.5))
        .historyTransform(shortHistory(_:))
        .historyTransform { Array($0.suffix(20)) }
        .historyTransform { $0.filter { _ in true } }
        .onToolCall { state.isLate = false }
        .onToolCall { call in print(call.toolName, call.arguments) }
        .onToolOutput { call, output in print(call, output) }
        .onActivate { print("on") }
        .onDeactivate { state.isLate = true }
      } else {
        Profile { Instructions("Hi.") }
          .onPrompt { prompt in note = prompt.description }
          .onReasoning { print($0) }
          .onResponse {
            history = history.suffix(50)
            if let index = history.lastIndex(where: { $0.id == "x" }) {
              history = history[index...]
              history = history.prefix(upTo: index).filter { _ in true } + history.suffix(from: index)
            }
            history = [.prompt(Transcript.Prompt(segments: []))]
            history.append(contentsOf: [])
            history.removeAll { _ in false }
            history = Transcript.HistoryView([Transcript.Entry]())
          }
          .transcriptErrorHandlingPolicy(.preserveTranscript)
          .toolCallingMode(.allowed)
          .reasoningLevel(.custom("long"))
          .maximumResponseTokens(9)
          .modifier(Careful())
          .careful()
      }
    }

    func shortHistory(_ entries: [Transcript.Entry]) -> [Transcript.Entry] { entries }
  }

  struct Careful: LanguageModelSession.DynamicProfileModifier {
    @SessionProperty(\\.note) var note
    func body(content: Content) -> some DynamicProfile { content.temperature(0) }
  }

  extension LanguageModelSession.DynamicProfile {
    func careful() -> some DynamicProfile { modifier(Careful()) }
  }

  struct Late: DynamicInstructions {
    @SessionProperty(\\.note) var note
    var body: some DynamicInstructions {
      Instructions { "It is late."; "Be brief." }
      if let note { Instructions(note) }
      ForEach(["a", "b"], id: \\.self) { Instructions($0) }
      DynamicInstructionsForEach([Line(id: 1)]) { Instructions("\\($0.id)") }
      Clock()
    }
  }

  struct Line: Identifiable { let id: Int }

  struct Clock: Tool {
    let description = "Tells the time."
    @SessionProperty(\\.counts) var counts
    @Generable struct Arguments { @Guide(description: "Where", .anyOf(["here"])) var place: String }
    func call(arguments: Arguments) -> String {
      counts[arguments.place] = 1
      return "late"
    }
  }

  actor Quit: Tool {
    let name = "quit"
    let description = "Quits."
    var output: String?
    @Generable struct Arguments { var answer: String }
    func call(arguments: Arguments) async throws -> Never {
      output = arguments.answer
      throw CancellationError()
    }
  }

  struct Raw: Tool {
    let description = "Takes anything."
    let parameters = Clock.Arguments.generationSchema
    func call(arguments: GeneratedContent) async throws -> Clock.Arguments {
      try Clock.Arguments(arguments)
    }
  }

  @Generable(description: "A stay")
  struct Stay {
    @Guide(description: "How long", .range(1...9)) var nights: Int
    @Guide(.count(2)) var guests: [String]
    @Guide(/[a-z]+/) var code: String?
    var kind: Kind
    @Generable enum Kind { case short, long(days: Int) }
  }

  @Generable struct SearchTerm {
    var id: GenerationID
    @Guide(description: "What to search for") var searchTerm: String
  }

  func follow() async throws {
    let model = SystemLanguageModel.default
    let session = LanguageModelSession(model: model, tools: [Clock()]) { "Be brief." }
    let bare: LanguageModelSession = LanguageModelSession(model: model) { "Be brief." }
    let any: any LanguageModel = model
    let other = LanguageModelSession(model: any) { "Be brief." }
    for each in [session, bare, other] {
      for try await part in each.streamResponse(to: "Which?", generating: ImageReference.self) {
        if let label = part.content.attachmentLabel { print(label) }
      }
    }
  }

  func talk() async throws {
    let sessions = [
      LanguageModelSession(),
      LanguageModelSession(model: .default),
      LanguageModelSession(model: SystemLanguageModel(useCase: .general), tools: [Raw()]),
      LanguageModelSession(instructions: "Be brief."),
      LanguageModelSession(tools: [Clock()]) { "Be brief." },
      LanguageModelSession(instructions: Instructions("Be brief.")),
      LanguageModelSession(profile: Greeter()),
      LanguageModelSession(profile: Greeter(), history: Transcript()),
      LanguageModelSession(dynamicInstructions: Late()),
      LanguageModelSession(transcript: Transcript(entries: [])),
    ]
    let session = sessions[0]
    session.prewarm()
    session.prewarm(promptPrefix: Prompt("Hi"))
    session.prewarm(promptPrefix: "Hi")
    let stay = try await session.respond(to: "Hi", generating: Stay.self).content
    let same: Stay = try await session.respond(to: "Hi").content
    let text = try await session.respond(to: "Hi").content
    try await session.respond { "Hi"; "there" }
    try await session.respond(to: "Hi", options: GenerationOptions(toolCallingMode: .required))
    try await session.respond(to: "Hi", metadata: ["a": 1, "b": "c"])
    for try await snapshot in session.streamResponse(to: "Hi", generating: Stay.self) {
      print(snapshot.content.nights ?? 0, snapshot.rawContent, snapshot.usage.totalTokenCount)
      print(snapshot.transcriptEntries.count, snapshot.content == snapshot.content)
    }
    print(stay, same, text, session.usage.input.cachedTokenCount, session.isResponding)
    session.transcript.history = session.transcript.history.suffix(2)
    session.properties.note = "x"
    session.transcriptErrorHandlingPolicy = .revertTranscript
    session.logFeedbackAttachment(sentiment: .positive)
  }
  """
