import AgentKit
import Testing

/// Apple's behavior: what happens concurrently, and what ends the loop.
@Suite(.timeLimit(.minutes(5)))
struct `Concurrent requests and the loop of tools` {
  private let requests = Requests()

  @Test func `many sessions respond at the same time`() async throws {
    let meeting = Meeting(of: 8)
    let answers = await withTaskGroup(of: String?.self) { group in
      for index in 0..<8 {
        group.addTask {
          let model = DirectModel { channel in
            await meeting.join()
            await channel.send("\(index)")
          }
          return try? await LanguageModelSession(model: model).respond(to: "Go").content
        }
      }
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(answers == Set((0..<8).map(String.init)))
  }

  @Test func `hooks of parallel calls run one after the other`() async throws {
    let log = Log()
    let profile = LanguageModelSession.Profile { Plain() }
      .onToolCall { call in
        log.add("begin")
        await Task.yield()
        log.add("end")
      }
      .model(requests.model(.calls([.init("plain"), .init("plain")]), .text("Done.")))
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["begin", "end", "begin", "end"])
  }

  @Test func `the loop has no bound of its own`() async throws {
    let model = ScriptedLanguageModel { request in
      request.transcript.count < 402 ? .call("plain") : .text("Enough.")
    }
    let session = LanguageModelSession(model: model, tools: [Plain()])
    #expect(try await session.respond(to: "Go").content == "Enough.")
    #expect(session.transcript.count == 403)
  }

  @Test func `where calls are disallowed no definitions are sent, and no call is made`()
    async throws
  {
    let log = Log()
    let tool = Doing("act") { _ in
      log.add("acted")
      return ""
    }
    let session = LanguageModelSession(
      model: requests.model(.call("act"), .text("Sorry.")),
      tools: [tool]
    )
    try await session.respond(to: "Go", options: .init(toolCallingMode: .disallowed))
    #expect(requests.tools == [[], []])
    #expect(log.lines.isEmpty)
    let told = "output: There is no tool named 'act'. No tool can be called."
    #expect(session.transcript.outline.contains(told))
  }

  @Test func `where calls are required and there are no tools, the model is not asked`() async {
    let session = LanguageModelSession(model: requests.model(.text("Never.")))
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "Go", options: .init(toolCallingMode: .required))
    }
    let isOfGuides = if case .unsupportedGenerationGuide = error { true } else { false }
    #expect(isOfGuides, "\(String(reflecting: error))")
    #expect(requests.count == 0)
  }

  @Test func `two different tools of one name are refused before the model is asked`() async {
    let session = LanguageModelSession(
      model: requests.model(.text("Never.")),
      tools: [Plain(name: "act"), Doing("act") { _ in "" }]
    )
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "Go") }
    #expect(requests.count == 0)
  }

  @Test func `what a tool takes may change from request to request`() async throws {
    let activations = SkillActivations()
    let session = LanguageModelSession(
      model: requests.model(.call("activate_skill", #"{"skill": "knots"}"#), .text("Done.")),
      dynamicInstructions: Skills(activations: activations, strictSchema: true) {
        Skill(name: "knots", description: "Ties.", instructions: "Left over right.")
        Skill(name: "sails", description: "Sails.", instructions: "Into the wind.")
      }
    )
    try await session.respond(to: "Go")
    let choices = requests.all.map { request in
      request.enabledToolDefinitions.map { $0.parameters.debugDescription.contains("knots") }
    }
    #expect(choices == [[true], [false]])
  }
}
