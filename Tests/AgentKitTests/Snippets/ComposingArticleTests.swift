import AgentKit
import Testing

/// The examples of Apple's article about composing dynamic sessions, adapted to a bakery.
@Suite(.timeLimit(.minutes(5)))
struct `The article about composing sessions` {
  private let requests = Requests()
  private let log = Log()

  private func model(_ answers: Int = 1) -> ScriptedLanguageModel {
    ScriptedLanguageModel { [requests] request in
      requests.keep(request)
      return .text("Answer \(requests.count).")
    }
  }

  @Test func `loads instructions and tools by what the person does`() async throws {
    for (isBaking, isSelling, lines, tools) in [
      (
        true, false, "You help in a bakery.\nYou know doughs.",
        ["list_breads", "add_bread", "knead"]
      ),
      (
        false, true, "You help in a bakery.\nYou know prices.",
        ["list_breads", "add_bread", "price"]
      ),
      (false, false, "You help in a bakery.", ["list_breads", "add_bread"]),
    ] {
      let requests = Requests()
      let session = LanguageModelSession(
        model: requests.model(.text("Yes.")),
        dynamicInstructions: BakeryInstructions(isBaking: isBaking, isSelling: isSelling)
      )
      try await session.respond(to: "Help")
      #expect(requests.instructions == [lines])
      #expect(requests.tools == [tools])
    }
  }

  @Test func `parameterizes a profile's values`() async throws {
    for (likesRhymes, isCurious) in [(true, false), (false, true)] {
      let requests = Requests()
      let model = requests.model(.text("Yes."))
      let profile = LanguageModelSession.Profile { Instructions("You write signs.") }
        .model(model)
        .temperature(likesRhymes ? 0.8 : 0.1)
        .reasoningLevel(isCurious ? .deep : .light)
      try await LanguageModelSession(profile: profile).respond(to: "A sign")
      #expect(requests.all.map(\.generationOptions.temperature) == [likesRhymes ? 0.8 : 0.1])
      #expect(requests.all.map(\.contextOptions.reasoningLevel) == [isCurious ? .deep : .light])
    }
  }

  @Test func `lets one profile be active, of several`() async throws {
    let far = Requests()
    for (isBaking, isSelling) in [(true, false), (false, true), (false, false)] {
      let profile = BakeryProfile(
        farModel: far.model(.text("Far.")),
        nearModel: requests.model(.text("1"), .text("2")),
        isBaking: isBaking,
        isSelling: isSelling
      )
      try await LanguageModelSession(profile: profile).respond(to: "Help")
    }
    #expect(requests.instructions == ["You know doughs.", "You help in a bakery."])
    #expect(requests.all.map(\.generationOptions.temperature) == [nil, 0.8])
    #expect(far.instructions == ["You know prices."])
    #expect(far.all.map(\.generationOptions.temperature) == [0.2])
    #expect(far.all.map(\.contextOptions.reasoningLevel) == [.light])
  }

  @Test func `ranks the call site, the inner and the outer modifier`() async throws {
    for (mode, options, temperature) in [
      (SignMode.funny, GenerationOptions(), 1.0), (.plain, GenerationOptions(), 0.5),
      (.funny, GenerationOptions(temperature: 0.3), 0.3),
    ] {
      let requests = Requests()
      let profile = SignProfile(mode: mode, model: requests.model(.text("Yes.")))
      try await LanguageModelSession(profile: profile).respond(to: "A sign", options: options)
      #expect(requests.all.map(\.generationOptions.temperature) == [temperature])
    }
  }

  @Test func `checks a call before its tool runs, and logs its output`() async throws {
    let log = log
    func session(allowing tool: String) -> LanguageModelSession {
      let profile = LanguageModelSession.Profile {
        Instructions("You bake.")
        Plain(name: "knead")
      }
      .onToolCall { toolCall in
        guard toolCall.toolName == tool else { throw Denied(tool: toolCall.toolName) }
      }
      .onToolOutput { toolCall, output in log.add("\(toolCall.toolName): \(output)") }
      .model(ScriptedLanguageModel(.call("knead"), .text("Done.")))
      return LanguageModelSession(profile: profile)
    }
    try await session(allowing: "knead").respond(to: "Go")
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session(allowing: "rest").respond(to: "Go")
    }
    #expect(error?.underlyingError as? Denied == Denied(tool: "knead"))
    #expect(log.lines == ["knead: knead done"])
  }

  @Test func `compacts the history when an answer has come`() async throws {
    let history = (1...50).flatMap { [Transcript.Entry.said("\($0)?"), .answered("\($0).")] }
    let session = LanguageModelSession(profile: Forgetful(model: model()), history: history)
    try await session.respond(to: "And now?")
    #expect(session.transcript.count == 51)
    #expect(session.transcript.last?.outline == "response: Answer 1.")
    #expect(session.transcript.history.first?.outline == "prompt: 27?")
  }

  @Test func `lets a tool write a session property`() async throws {
    let profile = LanguageModelSession.Profile { OrderBook() }
      .model(
        ScriptedLanguageModel(.call("OrderBook", #"{"breads": ["rye", "oat"]}"#), .text("Noted."))
      )
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Two loaves")
    #expect(session.properties.ordered == ["rye": true, "oat": true])
    #expect(session.transcript.outline.contains("output: Ordered: rye, oat"))
  }

  @Test func `hides values and hooks in a modifier of one's own`() async throws {
    let profile = LanguageModelSession.Profile { Instructions("You are helpful.") }
      .model(model())
      .watched(by: log)
    try await LanguageModelSession(profile: profile).respond(to: "Hi")
    #expect(requests.all.map(\.generationOptions.temperature) == [0])
    #expect(log.lines == ["answered: Answer 1."])
  }

  @Test func `shows a profile the last entries only`() async throws {
    let history = (1...20).flatMap { [Transcript.Entry.said("\($0)?"), .answered("\($0).")] }
    let profile = LanguageModelSession.Profile { Instructions("You bake.") }
      .historyTransform { history in
        Array(history.suffix(20))
      }
      .model(model())
    let session = LanguageModelSession(profile: profile, history: history)
    try await session.respond(to: "And now?")
    #expect(requests.all[0].transcript.count == 20)
    #expect(requests.all[0].outline.first == "response: 11.")
    #expect(session.transcript.count == 43)
  }
}

private struct Denied: Error, Equatable {
  var tool: String
}

private struct Forgetful: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history)
  var history
  var model: ScriptedLanguageModel

  var body: some LanguageModelSession.DynamicProfile {
    Profile {
      Instructions("You are helpful.")
      Plain()
    }
    .onResponse {
      if history.count > 100 {
        history = history.suffix(50)
      }
    }
    .model(model)
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry
  var ordered: [String: Bool] = [:]
}

private struct OrderBook: Tool {
  let description = "Notes which breads are ordered"

  @SessionProperty(\.ordered)
  var ordered

  @Generable
  struct Arguments {
    @Guide(description: "The breads")
    var breads: [String]
  }

  func call(arguments: Arguments) -> String {
    for bread in arguments.breads {
      ordered[bread] = true
    }
    return "Ordered: \(arguments.breads.joined(separator: ", "))"
  }
}

private struct Watching: LanguageModelSession.DynamicProfileModifier {
  let log: Log

  func body(content: Content) -> some LanguageModelSession.DynamicProfile {
    content
      .temperature(0.0)
      .onResponse { response in
        log.add("answered: \(response)")
      }
  }
}

extension LanguageModelSession.DynamicProfile {
  fileprivate func watched(by log: Log) -> some LanguageModelSession.DynamicProfile {
    self.modifier(Watching(log: log))
  }
}
