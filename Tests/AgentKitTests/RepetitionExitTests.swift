import Testing

@testable import AgentKit

/// What becomes of an answer that its model repeated without end.
struct RepetitionExitTests {
  @Generable struct Note {
    var text: String
  }

  private func session(_ text: String) -> LanguageModelSession {
    let model = DirectModel { channel in
      let cut = [Transcript.Response.cutKey: Transcript.Response.repetition]
      await channel.send(.response(entryID: "a", action: .appendText(text, tokenCount: 1)))
      await channel.send(.response(entryID: "a", action: .updateMetadata(cut)))
    }
    return LanguageModelSession(model: model)
  }

  @Test func `its turn ends with an exit that says so, and with what there is`() async throws {
    let response = try await session("ha ha ha").respond(to: "Laugh.")
    #expect(response.exit == .cap("repetition"))
    #expect("\(response.exit)" == "the answer repeated itself without end")
    #expect(response.content == "ha ha ha")
  }

  @Test func `where it should have met a schema, the error says so`() async throws {
    let session = session(#"{"text": "ha ha ha"#)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Laugh.", generating: Note.self)
    }
    #expect(error?.debugDescription.contains("repeated itself without end") == true)
  }

  @Test func `the model that phoned a friend reads that it was stopped`() {
    let answer = FriendAnswer("ha ha ha", exit: .cap(Transcript.Response.repetition))
    let text = answer.prompt(from: "title", for: "ask").segments.joinedText
    #expect(text.contains(#""status": "incomplete""#))
    #expect(text.contains(#""answer": "ha ha ha""#))
    #expect(text.contains("the answer repeated itself without end"))
  }
}
