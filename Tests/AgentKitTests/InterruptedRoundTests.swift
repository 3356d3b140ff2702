import AgentKit
import Testing

/// A turn begun by another process resumes with the calls that have no outputs.
@Suite(.timeLimit(.minutes(5)))
struct `A round that was interrupted` {
  /// A tool that may be called again.
  struct Looking: Tool {
    @Generable
    struct Arguments {}

    let name = "look"
    let description = "Looks."
    let isIdempotent = true
    let calls: Log

    func call(arguments: Arguments) -> String {
      calls.add("look")
      return "seen"
    }
  }

  private let calls = Log()

  /// Resumes from a transcript, and returns the outputs and the answer.
  private func goOn(
    with entries: [Transcript.Entry],
    host: RecordingHost = RecordingHost()
  ) async throws -> [String] {
    let calls = calls
    let act = Doing("act") { _ in
      calls.add("act")
      return "acted"
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.text("Done.")),
      tools: [act, Looking(calls: calls)]
    )
    session.transcript.history = Transcript.HistoryView(entries)
    let outcome = try await session.run(.transcript, host: host)
    return outcome.entries.map(\.outline)
  }

  private func round(_ tools: String...) -> [Transcript.Entry] {
    let calls = tools.map { name in
      Transcript.ToolCall(id: name, toolName: name, arguments: GeneratedContent(properties: [:]))
    }
    return [
      .prompt(.init(segments: [.text(.init(content: "Go"))])),
      .toolCalls(.init(calls)),
    ]
  }

  private func output(_ tool: String) -> Transcript.Entry {
    .toolOutput(.init(id: tool, toolName: tool, segments: [.text(.init(content: "was seen"))]))
  }

  @Test func `calls an idempotent tool again, and tells of any other that nothing is known`()
    async throws
  {
    let entries = try await goOn(with: round("act", "look"))
    #expect(calls.lines == ["look"])
    #expect(entries.count == 3)
    #expect(entries.first?.contains(#""status": "unknown""#) == true)
    #expect(entries.first?.contains(#""tool": "act""#) == true)
    #expect(entries.dropFirst() == ["output: seen", "response: Done."])
  }

  @Test func `tells of a tool that there is no more that nothing is known of it`() async throws {
    let entries = try await goOn(with: round("gone"))
    #expect(entries.first?.contains(#""status": "unknown""#) == true, "\(entries)")
  }

  @Test func `is finished although the calls themselves have ended the calling of tools`()
    async throws
  {
    struct Once: LanguageModelSession.DynamicProfile {
      let tool: Doing
      @SessionProperty(\.history) var history

      var body: some LanguageModelSession.DynamicProfile {
        LanguageModelSession.Profile { tool }
          .model(ScriptedLanguageModel(.text("Done.")))
          .toolCallingMode(history.count > 1 ? .disallowed : .required)
      }
    }
    let calls = calls
    let act = Doing("act") { _ in
      calls.add("act")
      return "acted"
    }
    let session = LanguageModelSession(profile: Once(tool: act))
    session.transcript.history = Transcript.HistoryView(round("act"))
    var host = RecordingHost()
    host.progress = { _ in .notRun }
    let outcome = try await session.run(.transcript, host: host)
    #expect(outcome.entries.map(\.outline) == ["output: acted", "response: Done."])
    #expect(calls.lines == ["act"])
  }

  @Test func `is finished although a hook forgets the calls before they are resumed`()
    async throws
  {
    struct Forgetful: LanguageModelSession.DynamicProfile {
      let tool: Doing
      @SessionProperty(\.history) var history

      var body: some LanguageModelSession.DynamicProfile {
        LanguageModelSession.Profile { tool }
          .onActivate { history = [] }
          .model(ScriptedLanguageModel(.text("Done.")))
      }
    }
    let session = LanguageModelSession(profile: Forgetful(tool: Doing("act") { _ in "acted" }))
    session.transcript.history = Transcript.HistoryView(round("act"))
    var host = RecordingHost()
    host.progress = { _ in .notRun }
    let outcome = try await session.run(.transcript, host: host)
    #expect(outcome.entries.map(\.outline) == ["output: acted", "response: Done."])
  }

  @Test func `is finished where the history has lost its calls, and its prompt is not new`()
    async throws
  {
    struct Greeting: LanguageModelSession.DynamicProfile {
      let tool: Doing
      let log: Log

      var body: some LanguageModelSession.DynamicProfile {
        LanguageModelSession.Profile { tool }
          .onPrompt { log.add("prompt") }
          .model(ScriptedLanguageModel(.text("Done.")))
      }
    }
    let calls = calls
    let act = Doing("act") { _ in
      calls.add("act")
      return "acted"
    }
    let session = LanguageModelSession(profile: Greeting(tool: act, log: calls))
    let entries = round("act")
    session.transcript.history = Transcript.HistoryView(entries.prefix(1))
    var host = RecordingHost()
    host.progress = { _ in .notRun }
    host.unfinishedCalls = entries.openCalls
    let outcome = try await session.run(.transcript, host: host)
    #expect(outcome.entries.map(\.outline) == ["output: acted", "response: Done."])
    #expect(calls.lines == ["act"])
  }

  @Test func `is not finished again where the history has lost its outputs`() async throws {
    var host = RecordingHost()
    host.unfinishedCalls = []
    #expect(try await goOn(with: round("act", "look"), host: host) == ["response: Done."])
    #expect(calls.lines.isEmpty)
  }

  @Test func `has as many calls open of one identity as there are more than outputs`() {
    let calls = ["x", "y", "x"].map { id in
      Transcript.ToolCall(id: id, toolName: id, arguments: GeneratedContent(properties: [:]))
    }
    var entries: [Transcript.Entry] = [.toolCalls(.init(calls))]
    #expect(entries.openCalls.map(\.id) == ["x", "y", "x"])
    entries.append(output("x"))
    #expect(entries.openCalls.map(\.id) == ["y", "x"])
    entries += [output("x"), output("y")]
    #expect(entries.openCalls.isEmpty)
    entries.append(.toolCalls(.init(calls)))
    #expect(entries.openCalls.count == 3)
  }

  @Test func `leaves calls alone that have outputs`() async throws {
    let entries = try await goOn(with: round("look", "act") + [output("look")])
    #expect(calls.lines.isEmpty)
    #expect(entries.count == 2)
    #expect(entries.first?.contains("unknown") == true)
  }

  @Test func `calls what cannot have run, and not what a cap had refused`() async throws {
    var host = RecordingHost()
    host.progress = { $0.toolName == "act" ? .notRun : .refused }
    let entries = try await goOn(with: round("act", "look"), host: host)
    #expect(calls.lines == ["act"])
    #expect(entries.first == "output: acted")
    #expect(entries.dropFirst().first?.contains("cap_reached") == true)
  }

  @Test func `ends where the baton was passed`() async throws {
    var host = RecordingHost()
    host.goesOn = false
    #expect(try await goOn(with: round("look"), host: host) == ["output: seen"])
  }

  @Test func `of an earlier turn is not continued`() async throws {
    let entries = try await goOn(
      with: round("act") + [.prompt(.init(segments: [.text(.init(content: "Next"))]))]
    )
    #expect(entries == ["response: Done."])
  }
}
