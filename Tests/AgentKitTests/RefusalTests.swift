import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `What cannot be done` {
  @Test func `is refused before the model is asked when calls are required without tools`() async {
    let requests = Requests()
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }
      .toolCallingMode(.required).model(requests.model(.text("Hi.")))
    let session = LanguageModelSession(profile: profile)
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Go")
    }
    guard case .unsupportedGenerationGuide = error else {
      Issue.record("\(String(reflecting: error))")
      return
    }
    #expect(requests.count == 0)
  }

  @Test func `is refused when the model cannot call the tools that there are`() async throws {
    let log = Log()
    var model = DirectModel { channel in
      log.add("asked")
      await channel.send("Hi.")
    }
    model.capabilities = LanguageModelCapabilities([])
    let session = LanguageModelSession(model: model, tools: [Plain()])
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Go")
    }
    guard case .unsupportedCapability(let facts) = error else {
      Issue.record("\(String(reflecting: error))")
      return
    }
    #expect(facts.capability == .toolCalling)
    #expect(facts.debugDescription.contains("plain"))
    #expect(log.lines.isEmpty)
    // If no tools are offered, there is nothing that the model cannot do.
    try await session.respond(to: "Go", options: .init(toolCallingMode: .disallowed))
    #expect(log.lines == ["asked"])
  }

  @Test func `is refused when the model cannot follow a schema`() async {
    var model = DirectModel { _ in Issue.record("The model was asked.") }
    model.capabilities = LanguageModelCapabilities([.toolCalling])
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: model).respond(to: "Who?", generating: Person.self)
    }
    guard case .unsupportedCapability(let facts) = error else {
      Issue.record("\(String(reflecting: error))")
      return
    }
    #expect(facts.capability == .guidedGeneration)
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
