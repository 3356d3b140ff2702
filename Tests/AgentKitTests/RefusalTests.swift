import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `What cannot be done` {
  @Test func `is refused before the model is asked when there is nothing to choose from`() async {
    let requests = Requests()
    func problem(_ ask: (LanguageModelSession) async throws -> Void) async -> String {
      let model = requests.model(.text("Never."))
      do {
        try await ask(LanguageModelSession(model: model, tools: [Picking()]))
      } catch LanguageModelError.unsupportedGenerationGuide(let facts) {
        return facts.debugDescription
      } catch {
        Issue.record(error)
      }
      return ""
    }
    let flaw = "In the property 'dish': The list of choices is empty. Give at least one choice."
    #expect(
      await problem { try await $0.respond(to: "Go") }
        == "The tool 'pick' cannot be offered to the model. \(flaw)"
    )
    #expect(
      await problem {
        try await $0.respond(
          to: "Go",
          generating: Picking.Arguments.self,
          options: .init(toolCallingMode: .disallowed)
        )
      } == "The answer cannot follow the schema 'Arguments'. \(flaw)"
    )
    #expect(requests.count == 0)
  }

  @Test func `is refused while another prompt is answered, and not queued`() async throws {
    let (started, finish, requests) = (Meeting(of: 1), Meeting(of: 1), Requests())
    let hold = Doing("hold") { _ in
      started.come()
      await finish.wait()
      return "held"
    }
    let session = LanguageModelSession(
      model: requests.model(.call("hold"), .text("First.")),
      tools: [hold]
    )
    async let first = session.respond(to: "First")
    await started.wait()
    #expect(session.isResponding)
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "Second")
    }
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.streamResponse(to: "Third").collect()
    }
    finish.come()
    #expect(try await first.content == "First.")
    #expect(!session.isResponding)
    #expect(requests.count == 2)
    #expect(!session.transcript.outline.contains("prompt: Second"))
  }
}

/// A tool that lets the model choose among nothing.
private struct Picking: Tool {
  @Generable
  struct Arguments {
    @Guide(.anyOf([])) var dish: String
  }

  let name = "pick"
  let description = "Picks a dish."

  func call(arguments: Arguments) async throws -> String { arguments.dish }
}
