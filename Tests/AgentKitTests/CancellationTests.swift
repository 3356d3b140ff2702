import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A cancelled turn` {
  /// Responds in a separate task, and cancels it when the turn reaches a given point.
  private func cancel(
    _ session: LanguageModelSession,
    at place: Meeting
  ) async -> Result<String, any Error> {
    let task = Task { try await session.respond(to: "Go").content }
    await place.wait()
    task.cancel()
    return await task.result
  }

  private func expectCancelled(_ result: Result<String, any Error>) {
    #expect(throws: CancellationError.self) { try result.get() }
  }

  @Test func `ends while the model is silent, and leaves no trace`() async throws {
    let asked = Meeting(of: 1)
    let model = ScriptedLanguageModel { request in
      if request.transcript.last?.text == "Again" { return .text("Yes.") }
      asked.come()
      return .silence
    }
    let session = LanguageModelSession(model: model, instructions: "Rules.")
    expectCancelled(await cancel(session, at: asked))
    #expect(session.transcript.outline == ["instructions: Rules."])
    #expect(!session.isResponding)
    #expect(try await session.respond(to: "Again").content == "Yes.")
  }

  @Test func `ends while a tool runs, with the tool's own CancellationError`() async {
    let running = Meeting(of: 1)
    let tool = Doing("wait") { _ in
      running.come()
      await Meeting(of: 1).wait()
      try Task.checkCancellation()
      return "never"
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.call("wait"), .text("Never.")),
      tools: [tool]
    )
    expectCancelled(await cancel(session, at: running))
    #expect(session.transcript.outline == ["instructions: "])
  }

  @Test func `asks the model no more when a tool ended all the same`() async {
    let (running, requests) = (Meeting(of: 1), Requests())
    let tool = Doing("wait") { _ in
      running.come()
      await Meeting(of: 1).wait()
      return "ended"
    }
    let session = LanguageModelSession(
      model: requests.model(.call("wait"), .text("Never.")),
      tools: [tool]
    )
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    expectCancelled(await cancel(session, at: running))
    #expect(requests.count == 1)
    #expect(
      session.transcript.outline == [
        "instructions: ", "prompt: Go", "calls: wait{}", "output: ended",
      ]
    )
  }

  @Test func `takes no part of an answer for the whole of it`() async {
    let sent = Meeting(of: 1)
    let model = DirectModel { channel in
      await channel.send("The first half")
      sent.come()
      // The model notices its cancellation, and ends as if nothing had happened.
      await Meeting(of: 1).wait()
      await channel.send(" and the second.")
    }
    let session = LanguageModelSession(model: model, instructions: "Rules.")
    expectCancelled(await cancel(session, at: sent))
    #expect(session.transcript.outline == ["instructions: Rules."])
  }

  @Test func `is no reason to hide a tool's own CancellationError`() async {
    let tool = Doing("quit") { _ in throw CancellationError() }
    let session = LanguageModelSession(model: ScriptedLanguageModel(.call("quit")), tools: [tool])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    #expect(error?.underlyingError is CancellationError)
  }
}
