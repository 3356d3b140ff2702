import AgentKit
import Testing

/// Checks code that a hook leaves running when its turn is over.
@Suite(.timeLimit(.minutes(5))) struct `A task that a hook has left behind` {
  @Test func `takes nothing from a later turn, which ends with an error`() async throws {
    let (later, written) = (Meeting(of: 1), Meeting(of: 1))
    let session = LanguageModelSession(
      profile: Leaving(
        later: later,
        written: written,
        model: ScriptedLanguageModel(.text("One."), .call("wait"), .text("Two."))
      )
    )
    try await session.respond(to: "First")
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await session.respond(to: "Second")
    }
    #expect(session.transcript.history.map(\.outline) == ["prompt: First", "response: One."])
  }

  @Test func `can write between two turns`() async throws {
    let (later, written) = (Meeting(of: 1), Meeting(of: 1))
    let session = LanguageModelSession(
      profile: Leaving(
        later: later,
        written: written,
        model: ScriptedLanguageModel(.text("One."), .text("Two."))
      )
    )
    try await session.respond(to: "First")
    later.come()
    await written.wait()
    #expect(session.transcript.history.isEmpty)
    try await session.respond(to: "Second")
    #expect(session.transcript.history.map(\.outline).first == "prompt: Second")
  }
}

private struct Leaving: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.history) var history
  let later: Meeting
  let written: Meeting
  let model: ScriptedLanguageModel

  var body: some DynamicProfile {
    Profile { Waiting(later: later, written: written) }
      .onResponse {
        // The first turn alone leaves a task behind.
        guard history.map(\.outline) == ["prompt: First", "response: One."] else { return }
        Task {
          await later.wait()
          history = []
          written.come()
        }
      }
      .model(model)
  }
}

/// A tool that waits until the task has written.
private struct Waiting: Tool {
  let later: Meeting
  let written: Meeting
  let name = "wait"
  let description = "Waits."

  func call(arguments: Plain.Arguments) async -> String {
    later.come()
    await written.wait()
    return "waited"
  }
}
