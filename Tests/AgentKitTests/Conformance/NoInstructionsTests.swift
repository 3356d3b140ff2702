import AgentKit
import Foundation
import Testing

/// Apple's behavior: how a transcript begins where there are neither instructions nor tools.
@Suite(.timeLimit(.minutes(5)))
struct `A session without instructions` {
  private let requests = Requests()

  @Test func `has no entry of them, neither before its first prompt nor after it`() async throws {
    let session = LanguageModelSession(model: requests.model(.text("Yes.")))
    #expect(session.transcript.isEmpty)
    try await session.respond(to: "Go")
    #expect(session.transcript.outline == ["prompt: Go", "response: Yes."])
    #expect(requests.all.map(\.outline) == [["prompt: Go"]])
  }

  @Test func `has the entry for its tools alone`() async throws {
    let session = LanguageModelSession(model: requests.model(.text("Yes.")), tools: [Plain()])
    #expect(session.transcript.outline == ["instructions: "])
    try await session.respond(to: "Go")
    #expect(session.transcript.outline == ["instructions: ", "prompt: Go", "response: Yes."])
    #expect(requests.tools == [["plain"]])
  }

  @Test func `has the entry as long as there are some, and keeps its history`() async throws {
    let model = requests.model(.text("1"), .text("2"), .text("3"))
    let session = LanguageModelSession(profile: Ruled(model: model))
    for (isRuled, prompt) in [(false, "A"), (true, "B"), (false, "C")] {
      session.properties.isRuled = isRuled
      try await session.respond(to: prompt)
    }
    #expect(
      requests.all.map(\.outline) == [
        ["prompt: A"],
        ["instructions: Rules.", "prompt: A", "response: 1", "prompt: B"],
        ["prompt: A", "response: 1", "prompt: B", "response: 2", "prompt: C"],
      ]
    )
  }

  @Test func `takes no instructions in its history for its own`() async throws {
    let model = requests.model(.text("1"), .text("2"), .text("3"), .text("4"))
    let session = LanguageModelSession(profile: Ruled(model: model))
    try await session.respond(to: "A")
    let told = Transcript.Segment.text(.init(content: "Told."))
    session.properties.history = [
      .instructions(.init(segments: [told], toolDefinitions: [])), .said("B"),
    ]
    #expect(session.properties.history.map(\.outline) == ["instructions: Told.", "prompt: B"])
    for (isRuled, prompt) in [(false, "C"), (true, "D"), (false, "E")] {
      session.properties.isRuled = isRuled
      try await session.respond(to: prompt)
    }
    let history = ["instructions: Told.", "prompt: B", "prompt: C"]
    #expect(
      requests.all.dropFirst().map { Array($0.outline.prefix(4)) } == [
        ["instructions: "] + history, ["instructions: Rules."] + history,
        ["instructions: "] + history,
      ]
    )
  }

  @Test(arguments: [false, true])
  func `takes none for its own in a history that it is given before its first prompt`(
    isRuled: Bool
  ) async throws {
    let session = LanguageModelSession(profile: Ruled(model: requests.model(.text("1"))))
    session.properties.isRuled = isRuled
    let told = Transcript.Segment.text(.init(content: "Told."))
    session.properties.history = [
      .instructions(.init(segments: [told], toolDefinitions: [])), .said("A"),
    ]
    let history = ["instructions: Told.", "prompt: A"]
    #expect(session.properties.history.map(\.outline) == history)
    try await session.respond(to: "B")
    let own = isRuled ? "instructions: Rules." : "instructions: "
    #expect(requests.all.map(\.outline) == [[own] + history + ["prompt: B"]])
  }

  @Test func `loses nothing when a turn fails`() async throws {
    let model = requests.model(.text("1"), .failure(Mishap()), .text("3"))
    let session = LanguageModelSession(profile: Ruled(model: model))
    try await session.respond(to: "A")
    session.properties.isRuled = true
    await #expect(throws: Mishap.self) { try await session.respond(to: "B") }
    session.properties.isRuled = false
    try await session.respond(to: "C")
    #expect(
      session.transcript.outline == ["prompt: A", "response: 1", "prompt: C", "response: 3"]
    )
  }

  @Test func `shows a transform the history alone`() async throws {
    let log = Log()
    let profile = LanguageModelSession.Profile {}
      .historyTransform { entries in
        log.add(entries.map(\.outline).joined(separator: ", "))
        return entries
      }
      .model(requests.model(.text("Yes.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["prompt: Go"])
  }

  @Test func `warms the beginning of a prompt alone`() {
    let warmed = Warmed()
    let session = LanguageModelSession(model: WarmModel(warmed: warmed))
    session.prewarm(promptPrefix: "Suggest a bread with")
    #expect(warmed.transcripts.map(\.outline) == [["prompt: Suggest a bread with"]])
  }

  @Test func `notices an image behind an entry that has gone`() async throws {
    let model = ScriptedLanguageModel(.failure(Mishap()), .text("Seen."))
    let session = LanguageModelSession(profile: Ruled(model: model))
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    session.properties.isRuled = true
    await #expect(throws: Mishap.self) { try await session.respond(to: "Go") }
    session.properties.isRuled = false
    await #expect(throws: LanguageModelError.self) {
      try await session.respond { Attachment(imageData: Data([0x89])) }
    }
  }

  @Test func `is shown to a model as with an empty entry`() {
    let history: [Transcript.Entry] = [.said("Go"), .answered("Yes.")]
    let empty = Transcript.Entry.instructions(.init(segments: [], toolDefinitions: []))
    #expect(ChatMessages(history).content == ChatMessages([empty] + history).content)
  }
}

private struct Ruled: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isRuled) var isRuled
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile {
      if isRuled { Instructions("Rules.") }
    }
    .model(model)
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var isRuled: Bool = false
}
