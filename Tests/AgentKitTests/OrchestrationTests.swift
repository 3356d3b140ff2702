import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `An agent among others` {
  private let friend = PhoneAFriend(
    "title",
    name: "write_title",
    description: "Writes a title.",
    parameter: "topic",
    prompt: { "A title for \($0), please." }
  )

  /// Has a model call a tool, and returns the output.
  private func output(
    of tool: any Tool,
    _ arguments: String,
    in orchestration: FakeOrchestration
  ) async throws -> Transcript.Entry? {
    let model = ScriptedLanguageModel(.call(tool.name, arguments), .text("Done."))
    let response = try await OrchestrationContext.$current.withValue(orchestration) {
      try await LanguageModelSession(model: model, tools: [tool]).respond(to: "Go")
    }
    return response.transcriptEntries.dropFirst().first
  }

  @Test func `passes the baton and briefs the receiver`() async throws {
    let orchestration = FakeOrchestration()
    let baton = PassBaton(to: "tutorial", "coach")
    let result = try await output(of: baton, #"{"to": "coach"}"#, in: orchestration)
    #expect(orchestration.batons == ["coach"])
    #expect(result?.text == "The baton is now with coach.")

    let late = FakeOrchestration(holder: "tutorial")
    let own = PassBaton(to: "coach", name: "coach_on", briefing: { "\($0), review it." })
    #expect(
      try await output(of: own, #"{"to": "coach"}"#, in: late)?.text
        == "tutorial, review it."
    )
  }

  @Test func `reads why the baton stays where it is`() async throws {
    let orchestration = FakeOrchestration(holder: "planner", refusal: "coach is full.")
    let baton = PassBaton(to: "coach")
    #expect(
      try await output(of: baton, #"{"to": "coach"}"#, in: orchestration)?.text
        == #"{"status": "failed", "tool": "pass_baton", "reason": "coach is full."}"#
    )
  }

  @Test func `refuses to pass the baton to an unknown agent`() async throws {
    let orchestration = FakeOrchestration()
    let baton = PassBaton(to: "tutorial", "coach")
    let result = try await output(of: baton, #"{"to": "poet"}"#, in: orchestration)
    #expect(orchestration.batons.isEmpty)
    #expect(
      result?.text
        == "There is no agent 'poet' to pass the baton to. There are: tutorial, coach."
    )
  }

  @Test func `asks a friend its question, for the call that it answers`() async throws {
    let orchestration = FakeOrchestration(answer: .answered("The Crane"))
    let result = try await output(of: friend, #"{"topic": "paper"}"#, in: orchestration)
    #expect(result?.text == "The Crane")
    #expect(
      orchestration.asked == [
        .init(agent: "title", prompt: "A title for paper, please.", callID: result?.id ?? "")
      ]
    )
  }

  @Test func `asks for the call that its process knows, also from a session in a tool`()
    async throws
  {
    let friend = friend
    let asking = Doing("ask") { _ in
      let model = ScriptedLanguageModel(
        .call("write_title", #"{"topic": "paper"}"#),
        .text("Asked.")
      )
      return try await LanguageModelSession(model: model, tools: [friend]).respond(to: "Go").content
    }
    let orchestration = FakeOrchestration()
    let result = try await output(of: asking, "{}", in: orchestration)
    #expect(result?.text == "Asked.")
    #expect(orchestration.asked.map(\.callID) == [result?.id ?? ""])
  }

  @Test func `hears why a friend could not answer`() async throws {
    let orchestration = FakeOrchestration(answer: .failed("it was killed by signal 9"))
    let result = try await output(of: friend, #"{"topic": "paper"}"#, in: orchestration)
    #expect(
      result?.text
        == #"{"status": "failed", "tool": "write_title","#
        + #" "reason": "title could not answer: it was killed by signal 9"}"#
    )
  }

  @Test(arguments: [
    (
      FriendAnswer("Once upon", exit: .cap("tokens")),
      #"{"status": "incomplete", "tool": "write_title", "answer": "Once upon", "#
        + #""reason": "title stopped at the cap on tokens. Its answer may not be whole."}"#
    ),
    (
      FriendAnswer(nil, exit: .cap("depth")),
      #"{"status": "cap_reached", "tool": "write_title", "#
        + #""reason": "title could not answer: the cap on depth is reached."}"#
    ),
    (
      FriendAnswer(nil, exit: .refused("Not that.")),
      #"{"status": "failed", "tool": "write_title", "#
        + #""reason": "title could not answer: refused: Not that."}"#
    ),
    (FriendAnswer("The Crane", exit: .finalAnswer), "The Crane"),
  ])
  func `reads how its friend's turn ended, where it has no whole answer`(
    answer: FriendAnswer,
    text: String
  ) async throws {
    let orchestration = FakeOrchestration(answer: answer)
    let result = try await output(of: friend, #"{"topic": "paper"}"#, in: orchestration)
    #expect(result?.text == text)
  }

  @Test(arguments: [
    ("pass_baton", #"{"to": "coach"}"#), ("write_title", #"{"topic": "paper"}"#),
  ])
  func `needs orchestrator to reach them, and says so`(
    name: String,
    arguments: String
  ) async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.call(name, arguments)),
      tools: [PassBaton(to: "coach"), friend]
    )
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    let problem = "'\(name)' needs other agents; run this agent with orchestrator."
    #expect(String(reflecting: try #require(error)).hasSuffix(problem))
  }
}
