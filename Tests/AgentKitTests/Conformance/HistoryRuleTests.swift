import AgentKit
import Testing

/// Apple's behavior: transcript, history and transform.
@Suite(.timeLimit(.minutes(5)))
struct `The history of a session` {
  private let requests = Requests()

  @Test func `a write is stored, and seen by every profile`() async throws {
    let near = Requests()
    let desk = GardenDesk(
      .dreaming,
      far: requests.model(.text("One.")),
      near: near.model(.text("Two."))
    )
    let session = LanguageModelSession(profile: Dropping(desk: desk))
    try await session.respond(to: "First")
    #expect(session.transcript.outline == ["instructions: Far.", "response: One."])
    desk.phase = .tending
    try await session.respond(to: "Second")
    #expect(
      near.all[0].outline == ["instructions: Near.", "response: One.", "prompt: Second"]
    )
  }

  @Test func `a write by a hook in the middle of a turn is seen by its next request`() async throws
  {
    let profile = Rewriting(model: requests.model(.call("plain"), .text("Done.")))
    let session = LanguageModelSession(
      profile: profile,
      history: [.said("Old"), .answered("Old.")]
    )
    try await session.respond(to: "Go")
    #expect(
      requests.all[1].outline == [
        "instructions: ", "prompt: Go", "calls: plain{}", "output: plain done",
      ]
    )
    #expect(session.transcript.history.map(\.outline).first == "prompt: Go")
  }

  @Test func `a write while the answer is there already does not double it`() async throws {
    let profile = Thoughtless(model: requests.model(.reasoned("Hm.", text: "Done.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    #expect(session.transcript.outline == ["prompt: Go", "response: Done."])
  }

  @Test func `a transform runs before every request, sees entry zero, and stores nothing`()
    async throws
  {
    let log = Log()
    let profile = LanguageModelSession.Profile {
      Instructions("Rules.")
      Plain()
    }
    .historyTransform { entries in
      log.add("\(entries.first?.outline ?? "-") … \(entries.last?.outline ?? "-")")
      return Array(entries.suffix(1))
    }
    .model(requests.model(.call("plain"), .text("Done.")))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    // The last entry is what to answer: first the prompt, then the output of the call.
    #expect(
      log.lines == [
        "instructions: Rules. … prompt: Go", "instructions: Rules. … output: plain done",
      ]
    )
    #expect(requests.all.map(\.outline) == [["prompt: Go"], ["output: plain done"]])
    // The tools are those of the profile, whatever the transform omits.
    #expect(requests.tools == [["plain"], ["plain"]])
    #expect(session.transcript.count == 5)
  }

  @Test func `a write by a tool has no effect, and ends the turn with the tool's name`() async {
    let session = LanguageModelSession(
      model: requests.model(.call("forget"), .text("Never.")),
      tools: [Forgetting()]
    )
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    let fault = error?.underlyingError as? SessionPropertyValues.HistoryIsReadOnly
    #expect(fault?.place == "the tool 'forget'")
    #expect(requests.count == 1)
    #expect(session.transcript.outline == ["instructions: "])
  }

  @Test func `a write by dynamic instructions ends the turn with their name`() async {
    let session = LanguageModelSession(
      model: requests.model(.text("Never.")),
      dynamicInstructions: Meddling(),
      history: [.said("Old")]
    )
    let error = await #expect(throws: SessionPropertyValues.HistoryIsReadOnly.self) {
      try await session.respond(to: "Go")
    }
    #expect(error?.place == "the body of 'Meddling'")
    #expect(requests.count == 0)
    #expect(session.transcript.history.map(\.outline) == ["prompt: Old"])
  }

  @Test func `a tool reads the history as it is`() async throws {
    let session = LanguageModelSession(
      model: requests.model(.call("count_entries"), .text("Done.")),
      tools: [CountingEntries()]
    )
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: 2"))
  }

  @Test func `a session inside a tool may write its own history`() async throws {
    let session = LanguageModelSession(
      model: requests.model(.call("ask"), .text("Done.")),
      tools: [AskingInside()]
    )
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: 1 left"))
  }

  @Test func `a transcript that is set during a response ends it with an error`() async {
    let session = LanguageModelSession(
      profile: LanguageModelSession.Profile {
        Instructions("Rules.")
        Setting()
      }
      .model(requests.model(.call("set"), .text("Never mind.")))
    )
    Setting.session.set(session)
    defer { Setting.session.set(nil) }
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await session.respond(to: "Go")
    }
    #expect(session.transcript.outline == ["instructions: Rules."])
    #expect(!session.isResponding)
    session.transcript = Transcript(entries: [.said("Now")])
    #expect(session.transcript.outline == ["prompt: Now"])
  }
}

private struct Dropping: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let desk: GardenDesk

  var body: some DynamicProfile {
    if desk.phase == .tending {
      Profile { Instructions("Near.") }.model(desk.nearModel)
    } else {
      Profile { Instructions("Far.") }.model(desk.farModel)
        .onResponse { history = history.suffix(1) }
    }
  }
}

private struct Rewriting: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile { Plain() }
      .onToolOutput { history = history.suffix(3) }
      .model(model)
  }
}

private struct Forgetting: Tool {
  @SessionProperty(\.history) var history
  let name = "forget"
  let description = "Forgets."

  func call(arguments: Plain.Arguments) -> String {
    history = []
    return "forgotten"
  }
}

private struct CountingEntries: Tool {
  @SessionProperty(\.history) var history
  let name = "count_entries"
  let description = "Counts."

  func call(arguments: Plain.Arguments) -> String { "\(history.count)" }
}

private struct Meddling: DynamicInstructions {
  @SessionProperty(\.history) var history

  var body: some DynamicInstructions {
    // A closure is needed, because a builder accepts no statements.
    Instructions(
      { () -> String in
        history = []
        return "Rules."
      }()
    )
  }
}

private struct AskingInside: Tool {
  let name = "ask"
  let description = "Asks in a session of its own."

  struct Inner: LanguageModelSession.DynamicProfile {
    @SessionProperty(\.history) var history

    var body: some DynamicProfile {
      Profile {}
        .onResponse { history = history.suffix(1) }
        .model(ScriptedLanguageModel(.text("Yes.")))
    }
  }

  func call(arguments: Plain.Arguments) async throws -> String {
    let session = LanguageModelSession(profile: Inner())
    try await session.respond(to: "Really?")
    return "\(session.transcript.history.count) left"
  }
}

/// A tool that sets its session's state from outside.
private struct Setting: Tool {
  static let session = Held()
  let name = "set"
  let description = "Sets the transcript."

  func call(arguments: Plain.Arguments) -> String {
    Setting.session.get()?.transcript = Transcript()
    return "set"
  }
}

/// A profile that keeps no reasoning.
private struct Thoughtless: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {}
      .onReasoning {
        history = Transcript.HistoryView(
          history.filter { if case .reasoning = $0 { false } else { true } }
        )
      }
      .model(model)
  }
}
