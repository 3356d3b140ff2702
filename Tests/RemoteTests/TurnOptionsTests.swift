import AgentKit
import Foundation
import Remote
import TestSupport
import Testing

/// What the sender of a prompt asks of a turn, as a server is asked.
@Suite(.timeLimit(.minutes(5))) struct TurnOptionsTests {
  private struct Host: LenientHost {
    let options: TurnOptions?
  }

  private let answer = [Sent.text("Yes."), Sent.end(), Sent.done]

  private func ask(
    _ options: TurnOptions,
    level: ContextOptions.ReasoningLevel? = nil,
    at server: TestServer
  ) async throws {
    let profile = LanguageModelSession.Profile { Instructions("Be brief.") }
      .reasoningLevel(level)
      .model(try server.model())
    let session = LanguageModelSession(profile: profile)
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Hello"))])
    session.replaceHistory(with: Transcript.HistoryView([.prompt(prompt)]))
    _ = try await session.run(.transcript, host: Host(options: options))
  }

  @Test func `Instructions, texts that end the answer and a seed are sent`() async throws {
    let fields = try await TestServer.events(answer) { server in
      try await ask(
        TurnOptions(
          instructions: "Speak French.",
          generation: GenerationOptions(temperature: 0.5),
          seed: 7,
          stop: ["END", "STOP"]
        ),
        at: server
      )
      return try #require(server.received.first).body
    }
    #expect(fields.contains(#""stop": ["END", "STOP"]"#))
    #expect(fields.contains(#""seed": 7"#))
    #expect(fields.contains(#""temperature": 0.5"#))
    #expect(
      fields.contains(
        #"{"role": "system", "content": "Be brief."}, {"role": "system", "content": "Speak French."}"#
      )
    )
    #expect(!fields.contains("reasoning_effort"))
  }

  @Test func `No reasoning is asked for by its name, and else as far as the server goes`()
    async throws
  {
    let refusal = #"{"error": {"message": "Bad value.", "param": "reasoning_effort"}}"#
    let events = "data: \(Sent.text("Yes."))\n\ndata: \(Sent.end())\n\n"
    let bodies = try await TestServer.answers([
      { try await $0.respond("400 Bad Request", body: refusal) },
      { try await $0.send(Connection.eventsHead + events) },
    ]) { server in
      try await ask(TurnOptions(skipsReasoning: true), level: .light, at: server)
      return server.received.map(\.body)
    }
    #expect(bodies.count == 2)
    #expect(bodies.first?.contains(#""reasoning_effort": "none""#) == true)
    #expect(bodies.last?.contains(#""reasoning_effort": "low""#) == true)
  }
}
