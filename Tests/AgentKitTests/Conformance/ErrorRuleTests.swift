import AgentKit
import Testing

/// Apple's behavior: what happens to a transcript when a turn fails.
@Suite(.timeLimit(.minutes(5)))
struct `The transcript of a turn that fails` {
  /// The causes of failure.
  enum Cause: CaseIterable {
    case tool, hook, model
  }

  private func session(
    failingBy cause: Cause,
    policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
  ) -> LanguageModelSession {
    let tool = Doing("act") { _ in
      if cause == .tool { throw Mishap() }
      return "acted"
    }
    let model = ScriptedLanguageModel { request in
      switch request.transcript.last {
      case .toolOutput: cause == .model ? .failure(Mishap()) : .text("Done.")
      default: .call("act")
      }
    }
    let profile = LanguageModelSession.Profile { tool }
      .onResponse { if cause == .hook { throw Mishap() } }
      .transcriptErrorHandlingPolicy(policy)
      .model(model)
    return LanguageModelSession(profile: profile, history: [.said("Hi"), .answered("Hello.")])
  }

  private let before = ["instructions: ", "prompt: Hi", "response: Hello."]

  @Test(arguments: Cause.allCases)
  func `without a policy, and by revert, the transcript is what it was before the prompt`(
    cause: Cause
  ) async {
    for policy in [nil, LanguageModelSession.TranscriptErrorHandlingPolicy.revertTranscript] {
      let session = session(failingBy: cause, policy: policy)
      await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
      #expect(session.transcript.outline == before)
      #expect(!session.isResponding)
    }
  }

  @Test(arguments: [
    (Cause.tool, ["prompt: Go", "calls: act{}"]),
    (.hook, ["prompt: Go", "calls: act{}", "output: acted", "response: Done."]),
    (.model, ["prompt: Go", "calls: act{}", "output: acted"]),
  ])
  func `by preserve it stays as it is, a call without its output too`(
    cause: Cause,
    left: [String]
  ) async {
    let session = session(failingBy: cause, policy: .preserveTranscript)
    await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
    #expect(session.transcript.outline == before + left)
  }

  @Test func `by preserve what the other calls of the round returned stays`() async {
    let (other, host) = (Meeting(of: 1), RecordingHost())
    let late = Doing("late") { _ in
      await other.wait()
      return "late"
    }
    let failing = Doing("fail") { _ in
      other.come()
      throw Mishap()
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("fail"), .init("late")])),
      tools: [late, failing]
    )
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Go"))])
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.run(.prompt(prompt), host: host)
    }
    #expect(session.transcript.last?.outline == "output: late")
    #expect(host.log.lines.last == "record output: late")
  }

  @Test(
    arguments: [
      (nil, []), (.revertTranscript, []),
      (.preserveTranscript, ["prompt: Go", "response: The first half"]),
    ] as [(LanguageModelSession.TranscriptErrorHandlingPolicy?, [String])]
  )
  func `an answer that is cancelled leaves nothing, or by preserve what there was of it`(
    policy: LanguageModelSession.TranscriptErrorHandlingPolicy?,
    left: [String]
  ) async {
    let begun = Meeting(of: 1)
    let session = LanguageModelSession(model: DirectModel.endless("The first half"))
    session.transcriptErrorHandlingPolicy = policy
    let task = Task {
      for try await _ in session.streamResponse(to: "Go") { begun.come() }
    }
    await begun.wait()
    #expect(session.transcript.last?.outline == "response: The first half")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.outline == left)
    #expect(!session.isResponding)
  }

  @Test func `session properties are not rolled back`() async {
    let profile = LanguageModelSession.Profile { Doing("act") { _ in throw Mishap() } }
      .modifier(Counting())
      .model(ScriptedLanguageModel(.call("act")))
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: (any Error).self) { try await session.respond(to: "Go") }
    #expect(session.properties.promptCount == 1)
  }

  private struct Counting: LanguageModelSession.DynamicProfileModifier {
    @SessionProperty(\.promptCount) var count

    func body(content: Content) -> some DynamicProfile {
      content.onPrompt { count += 1 }
    }
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var promptCount: Int = 0
}
