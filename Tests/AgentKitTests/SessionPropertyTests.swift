import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A session property` {
  private func session() -> LanguageModelSession {
    let model = ScriptedLanguageModel { request in
      let isAnswered = if case .toolOutput = request.transcript.last { true } else { false }
      return isAnswered ? .text("Done.") : .call("Noting", #"{"text": "tool"}"#)
    }
    return LanguageModelSession(profile: Notebook(model: model))
  }

  @Test func `is read and written by profile, modifier, instructions, hook and tool alike`()
    async throws
  {
    let session = session()
    session.properties.notes = ["outside"]
    try await session.respond(to: "Go")
    #expect(session.properties.notes == ["outside", "prompt", "call", "tool", "response"])
    // The profile was last resolved before the answer.
    #expect(
      session.transcript.first?.text
        == "Profile: outside prompt call tool\nInstructions: outside prompt call tool"
    )
    #expect(session.transcript.outline[3] == "output: outside prompt call tool")
  }

  @Test func `may be what a tool says of itself, wherever that is asked`() async throws {
    let requests = Requests()
    let session = LanguageModelSession(model: requests.model(.text("Yes.")), tools: [Noted()])
    guard case .instructions(let first) = session.transcript.first else { throw Mishap() }
    #expect(first.toolDefinitions.map(\.description) == ["0 notes"])
    session.properties.notes = ["one"]
    session.prewarm()
    try await session.respond(to: "Go")
    #expect(requests.all[0].enabledToolDefinitions.map(\.description) == ["1 notes"])
    #expect(AgentDescription(NotedAgent()).tools.map(\.description) == ["0 notes"])
  }

  @Test func `may be asked for by a transform when a context is counted`() async throws {
    let profile = Suffixing(model: ScriptedLanguageModel())
    #expect(try await LanguageModelSession(profile: profile).contextFit().window == 1000)
  }

  @Test func `belongs to one session`() async throws {
    let (one, other) = (session(), session())
    one.properties.notes = ["one"]
    #expect(other.properties.notes.isEmpty)
    async let first = one.respond(to: "Go")
    async let second = other.respond(to: "Go")
    _ = try await (first, second)
    #expect(one.properties.notes == ["one", "prompt", "call", "tool", "response"])
    #expect(other.properties.notes == ["prompt", "call", "tool", "response"])
  }

  @Test func `outlives the turn, also one that failed`() async {
    let profile = LanguageModelSession.Profile { Noting() }
      .model(ScriptedLanguageModel(.call("Noting", #"{"text": "kept"}"#), .failure(Mishap())))
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: Mishap.self) { try await session.respond(to: "Go") }
    #expect(session.properties.notes == ["kept"])
  }

  @Test func `of an optional type keeps a nil that was written, and starts as its default`() {
    let properties = LanguageModelSession(model: ScriptedLanguageModel()).properties
    #expect(properties.nickname == "none yet")
    properties.nickname = nil
    #expect(properties.nickname == nil)
    properties.nickname = "Al"
    #expect(properties.nickname == "Al")
  }

  @Test func `may be the history, read and written`() {
    let session = LanguageModelSession(model: ScriptedLanguageModel(), instructions: "Rules.")
    let prompt = Transcript.Entry.prompt(.init(id: "p", segments: []))
    session.properties.history.append(prompt)
    #expect(session.transcript.map(\.id).last == "p")
    #expect(session.properties.history.count == 1)
    session.properties.history = []
    #expect(session.transcript.outline == ["instructions: Rules."])
  }
}

/// A tool whose description shows a session property.
private struct Noted: Tool {
  @Generable
  struct Arguments {}

  @SessionProperty(\.notes) var notes
  let name = "noted"
  var description: String { "\(notes.count) notes" }

  func call(arguments: Arguments) -> String { "" }
}

private struct NotedAgent: Agent {
  let name = "noted"
  let description = "has a tool"
  var body: some DynamicProfile { Profile { Noted() } }
}

private struct Suffixing: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.notes) var notes
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile { Instructions("Rules.") }
      .historyTransform { $0.suffix(notes.count + 1) }
      .model(model.contextSize(1000))
  }
}

private struct Notebook: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.notes) var notes
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {
      Instructions("Profile: \(notes.joined(separator: " "))")
      Reading()
      Noting()
    }
    .onToolCall { notes.append("call") }
    .modifier(Marking())
    .model(model)
  }

  struct Marking: LanguageModelSession.DynamicProfileModifier {
    @SessionProperty(\.notes) var notes

    func body(content: Content) -> some DynamicProfile {
      content
        .onPrompt { notes.append("prompt") }
        .onResponse { notes.append("response") }
    }
  }

  struct Reading: DynamicInstructions {
    @SessionProperty(\.notes) var notes

    var body: some DynamicInstructions {
      Instructions("Instructions: \(notes.joined(separator: " "))")
    }
  }
}

private struct Noting: Tool {
  @Generable
  struct Arguments {
    var text: String
  }

  @SessionProperty(\.notes) var notes
  let description = "Takes a note."

  func call(arguments: Arguments) -> String {
    notes.append(arguments.text)
    return notes.joined(separator: " ")
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry var notes: [String] = []
  @SessionPropertyEntry var nickname: String? = "none yet"
}
