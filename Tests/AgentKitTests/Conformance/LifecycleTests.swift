import AgentKit
import Testing

/// Apple's behavior: when each hook runs, and whose.
@Suite(.timeLimit(.minutes(5)))
struct `The moments of hooks` {
  private let log = Log()

  private func watched(
    _ name: String,
    _ model: ScriptedLanguageModel,
    tool: any Tool = Plain()
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.Profile { [tool] }
      .onActivate { [log] in log.add("\(name) on") }
      .onDeactivate { [log] in log.add("\(name) off") }
      .onPrompt { [log] in log.add("\(name) prompt") }
      .onReasoning { [log] in log.add("\(name) reasoning") }
      .onToolCall { [log] in log.add("\(name) call") }
      .onToolOutput { [log] in log.add("\(name) output") }
      .onResponse { [log] in log.add("\(name) response") }
      .model(model)
  }

  @Test func `onPrompt finds the prompt in the transcript, and no model asked`() async throws {
    let requests = Requests()
    let profile = PromptWatcher(model: requests.model(.text("Yes.")), log: log, requests: requests)
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["Go, 0 requests"])
  }

  @Test func `on a switch the old profile is told first, then the new one, then the prompt`()
    async throws
  {
    let desk = GardenDesk(.dreaming)
    let model = ScriptedLanguageModel { _ in .text("Yes.") }
    let (one, two) = (watched("one", model), watched("two", model))
    let session = LanguageModelSession(profile: Choosing(desk: desk, one: one, two: two))
    try await session.respond(to: "First")
    desk.phase = .tending
    try await session.respond(to: "Second")
    desk.phase = .dreaming
    try await session.respond(to: "Third")
    #expect(
      log.lines == [
        "one on", "one prompt", "one response", "one off", "two on", "two prompt", "two response",
        "two off", "one on", "one prompt", "one response",
      ]
    )
  }

  @Test func `a profile that another's activation brings is told before its prompt`() async throws {
    let session = LanguageModelSession(
      profile: Relaying(model: ScriptedLanguageModel(.text("Yes.")), log: log)
    )
    session.properties.holder = "first"
    try await session.respond(to: "Go")
    #expect(log.lines == ["first on", "first off", "second on", "second prompt"])
  }

  @Test func `no profile is told that does not answer, where the prompt decides who does`()
    async throws
  {
    let model = ScriptedLanguageModel(.text("La."), .text("Yes."))
    let session = LanguageModelSession(profile: Asked(model: model, log: log))
    try await session.respond(to: "Sing")
    #expect(log.lines == ["singer on", "singer prompt"])
    try await session.respond(to: "Talk")
    #expect(log.lines.dropFirst(2) == ["singer off", "talker on", "talker prompt"])
  }

  @Test func `an outer profile stays active while the inner one changes`() async throws {
    let log = log
    let desk = GardenDesk(.dreaming)
    let model = ScriptedLanguageModel { _ in .text("Yes.") }
    let (one, two) = (watched("one", model), watched("two", model))
    let session = LanguageModelSession(
      profile: Choosing(desk: desk, one: one, two: two)
        .onActivate { log.add("outer on") }
        .onDeactivate { log.add("outer off") }
    )
    try await session.respond(to: "First")
    desk.phase = .tending
    try await session.respond(to: "Second")
    let activations = log.lines.filter { $0.hasSuffix("on") || $0.hasSuffix("off") }
    #expect(activations == ["outer on", "one on", "one off", "two on"])
  }

  @Test func `a tool that throws has neither an output nor an answer`() async {
    let tool = Doing("fail") { _ in throw Mishap() }
    let model = ScriptedLanguageModel(.call("fail"))
    let session = LanguageModelSession(profile: watched("p", model, tool: tool))
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    #expect(log.lines == ["p on", "p prompt", "p call"])
  }

  @Test func `in a stream the last snapshot comes before onResponse, and the end after it`()
    async throws
  {
    let log = log
    let profile = LanguageModelSession.Profile {}
      .onResponse { log.add("response") }
      .model(ScriptedLanguageModel(.text("Done.")))
    let stream = LanguageModelSession(profile: profile).streamResponse(to: "Go")
    var last = ""
    for try await snapshot in stream { last = snapshot.content }
    #expect(last == "Done.")
    #expect(log.lines == ["response"])
  }

  @Test func `text beside calls is no answer: onResponse is for the last word only`() async throws {
    let log = log
    let steps = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .onResponse { log.add("response: \($0)") }
      .model(
        TalkingModel(requests: steps, rounds: [("Let me see.", ["plain"]), ("It is done.", [])])
      )
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    #expect(log.lines == ["response: It is done."])
    #expect(
      session.transcript.outline == [
        "instructions: ", "prompt: Go", "response: Let me see.", "calls: plain{}",
        "output: plain done", "response: It is done.",
      ]
    )
  }

  @Test func `line breaks beside calls are neither shown nor read by the model`() async throws {
    let steps = Requests()
    let profile = LanguageModelSession.Profile { Plain() }
      .model(TalkingModel(requests: steps, rounds: [("\n\n", ["plain"]), ("Done.", [])]))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    #expect(
      steps.all[1].outline == [
        "instructions: ", "prompt: Go", "calls: plain{}", "output: plain done",
      ]
    )
    #expect(session.transcript.outline.last == "response: Done.")
  }
}

private struct PromptWatcher: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let model: ScriptedLanguageModel
  let log: Log
  let requests: Requests

  var body: some DynamicProfile {
    Profile {}
      .onPrompt { log.add("\(history.last?.description ?? "nothing"), \(requests.count) requests") }
      .model(model)
  }
}

/// A profile whose first part hands over as soon as it is active.
private struct Relaying: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.holder) var holder
  let model: ScriptedLanguageModel
  let log: Log

  var body: some DynamicProfile {
    if holder == "first" {
      Profile {}
        .onActivate {
          log.add("first on")
          holder = "second"
        }
        .onDeactivate { log.add("first off") }
        .onPrompt { log.add("first prompt") }
        .model(model)
    } else {
      Profile {}
        .onActivate { log.add("second on") }
        .onPrompt { log.add("second prompt") }
        .model(model)
    }
  }
}

/// A profile whose prompt determines which part answers.
private struct Asked: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let model: ScriptedLanguageModel
  let log: Log

  private var isToSing: Bool {
    let prompt = history.last(where: { if case .prompt = $0 { true } else { false } })
    return prompt?.description == "Sing"
  }

  var body: some DynamicProfile {
    if isToSing {
      Profile {}
        .onActivate { log.add("singer on") }
        .onDeactivate { log.add("singer off") }
        .onPrompt { log.add("singer prompt") }
        .model(model)
    } else {
      Profile {}
        .onActivate { log.add("talker on") }
        .onPrompt { log.add("talker prompt") }
        .model(model)
    }
  }
}

private struct Choosing<
  One: LanguageModelSession.DynamicProfile,
  Two: LanguageModelSession.DynamicProfile
>: LanguageModelSession.DynamicProfile {
  let desk: GardenDesk
  let one: One
  let two: Two

  var body: some DynamicProfile {
    if desk.phase == .dreaming { one } else { two }
  }
}
