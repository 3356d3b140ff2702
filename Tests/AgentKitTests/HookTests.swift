import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A profile's hooks` {
  private let log = Log()

  @Test func `run at their moments, the outermost first`() async throws {
    let log = log
    let profile = LanguageModelSession.Profile { Plain() }
      .onActivate { log.add("inner activate") }
      .onPrompt { log.add("inner prompt") }
      .onToolCall { log.add("inner call") }
      .onToolOutput { log.add("inner output") }
      .onReasoning { log.add("inner reasoning") }
      .onResponse { log.add("inner response") }
      .onActivate { log.add("outer activate") }
      .onPrompt { log.add("outer prompt \($0.segments.joinedText)") }
      .onToolCall { log.add("outer call \($0.toolName)") }
      .onToolOutput { log.add("outer output \($0.toolName) \($1.segments.joinedText)") }
      .onReasoning { log.add("outer reasoning \($0.segments.joinedText)") }
      .onResponse { log.add("outer response \($0.segments.joinedText)") }
      .model(ScriptedLanguageModel(.call("plain"), .reasoned("Hm.", text: "Done.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(
      log.lines == [
        "outer activate", "inner activate", "outer prompt Go", "inner prompt", "outer call plain",
        "inner call", "outer output plain plain done", "inner output", "outer reasoning Hm.",
        "inner reasoning", "outer response Done.", "inner response",
      ]
    )
  }

  @Test func `hear of an output only when a tool has returned it`() async throws {
    let log = log
    let profile = LanguageModelSession.Profile { Plain() }
      .onToolCall { if $0.arguments.jsonString.contains("no") { throw ToolCallRejection("No.") } }
      .onToolOutput { log.add("\($0.toolName) \($1.segments.joinedText)") }
      .model(
        ScriptedLanguageModel(
          .calls([.init("plain", #"{"no": 1}"#), .init("none", "{}"), .init("plain", "{}")]),
          .text("Done.")
        )
      )
    let response = try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["plain plain done"])
    #expect(response.transcriptEntries.count { $0.outline.hasPrefix("output:") } == 3)
  }

  @Test func `change what the request is made with that follows them`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(
      profile: Readying(model: requests.model(.call("plain"), .text("Done.")))
    )
    session.properties.holder = "a"
    try await session.respond(to: "Go")
    #expect(requests.instructions == ["Waiting.", "Ready."])
    #expect(requests.tools == [["plain"], []])
  }

  @Test func `keep a tool from running by throwing before it`() async {
    let log = log
    let tool = Doing("act") { _ in
      log.add("acted")
      return ""
    }
    let profile = LanguageModelSession.Profile { tool }
      .onToolCall { call in
        log.add("hook \(call.arguments.jsonString)")
        if call.arguments.jsonString.contains("bad") { throw Mishap(cause: "hook") }
      }
      .model(
        ScriptedLanguageModel(.calls([.init("act"), .init("act", #"{"x": "bad"}"#)]))
      )
    let session = LanguageModelSession(profile: profile)
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    #expect(error?.tool.name == "act")
    #expect(error?.underlyingError as? Mishap == Mishap(cause: "hook"))
    #expect(log.lines == ["hook {}", #"hook {"x": "bad"}"#])
    #expect(session.transcript.outline == ["instructions: "])
  }

  @Test func `end the turn by throwing, with their own error`() async {
    let model = ScriptedLanguageModel { request in
      request.transcript.count < 4 ? .call("plain") : .reasoned("Hm.", text: "Done.")
    }
    func base() -> some LanguageModelSession.DynamicProfile {
      LanguageModelSession.Profile { Plain() }.model(model)
    }
    let sessions = [
      LanguageModelSession(profile: base().onPrompt { throw Mishap() }),
      LanguageModelSession(profile: base().onReasoning { throw Mishap() }),
      LanguageModelSession(profile: base().onToolOutput { throw Mishap() }),
      LanguageModelSession(profile: base().onResponse { throw Mishap() }),
    ]
    for session in sessions {
      await #expect(throws: Mishap.self) { try await session.respond(to: "Go") }
      #expect(session.transcript.outline == ["instructions: "])
      #expect(!session.isResponding)
    }
  }

  @Test func `that throw after a tool leave no output of the round unrecorded`() async {
    let host = RecordingHost()
    let log = log
    let profile = LanguageModelSession.Profile { Plain() }
      .onToolOutput {
        log.add("hook")
        throw Mishap()
      }
      .model(ScriptedLanguageModel(.calls([.init("plain"), .init("plain")])))
    let prompt = Transcript.Prompt(segments: [])
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: Mishap.self) { try await session.run(.prompt(prompt), host: host) }
    #expect(log.lines == ["hook"])
    #expect(host.log.lines.filter { $0.hasPrefix("record output") }.count == 2)
  }

  @Test func `may rewrite the history before the model is asked`() async throws {
    let requests = Requests()
    let profile = Forgetful(model: requests.model(.text("One."), .text("Two."), .text("Three.")))
    let session = LanguageModelSession(profile: profile)
    for prompt in ["A", "B", "C"] { try await session.respond(to: prompt) }
    #expect(requests.all.map { $0.transcript.map(\.text) }[2] == ["Rules.", "B", "Two.", "C"])
    #expect(session.properties.history.map(\.text) == ["B", "Two.", "C", "Three."])
  }

  /// A profile whose second part prepares itself when it becomes active.
  private struct Readying: LanguageModelSession.DynamicProfile {
    @SessionProperty(\.holder) var holder
    let model: ScriptedLanguageModel

    var body: some DynamicProfile {
      if holder == "a" {
        Profile {
          Instructions("Waiting.")
          Plain()
        }
        .onToolOutput { holder = "b" }
        .model(model)
      } else {
        Profile { Instructions(holder == "c" ? "Ready." : "Not ready.") }
          .onActivate { holder = "c" }
          .model(model)
      }
    }
  }

  private struct Forgetful: LanguageModelSession.DynamicProfile {
    @SessionProperty(\.history) var history
    let model: ScriptedLanguageModel

    var body: some DynamicProfile {
      Profile { Instructions("Rules.") }
        .onPrompt { history = history.suffix(3) }
        .model(model)
    }
  }
}
