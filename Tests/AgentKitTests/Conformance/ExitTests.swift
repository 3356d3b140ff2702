import AgentKit
import Synchronization
import Testing

/// Beyond Apple's behavior: which exit ended the turn.
@Suite(.timeLimit(.minutes(5)))
struct `The exit of a turn` {
  private let prompt = TurnStart.prompt(.init(segments: [.text(.init(content: "Go"))]))
  private let exits = Exits()

  /// The exits that the hook received.
  private final class Exits: Sendable {
    private let storage = Mutex<[TurnExit]>([])
    var all: [TurnExit] { storage.withLock { $0 } }
    func add(_ exit: TurnExit) { storage.withLock { $0.append(exit) } }
  }

  private func session(
    _ model: some LanguageModel,
    tools: [any Tool] = []
  ) -> LanguageModelSession {
    let exits = exits
    let profile = LanguageModelSession.Profile { tools }
      .model(model)
      .onExit { exits.add($0) }
    return LanguageModelSession(profile: profile)
  }

  @Test func `is part of the response, and the hook hears of it`() async throws {
    let session = session(ScriptedLanguageModel(.text("Hi."), .text("Ho.")))
    #expect(try await session.respond(to: "Go").exit == .answered)
    #expect(try await session.streamResponse(to: "Go").collect().exit == .answered)
    #expect(exits.all == [.answered, .answered])
  }

  @Test func `is the cap that the answer met`() async throws {
    let session = session(ScriptedLanguageModel(.text("One two."), .text("One."), .text("End.")))
    let host = RecordingHost(admission: { _ in .go(maximumTokens: 2) })
    #expect(try await session.run(prompt, host: host).exit == .cap("tokens"))
    #expect(try await session.run(prompt, host: host).exit == .answered)
    let last = RecordingHost(admission: { _ in .lastAnswer(cap: "rounds", maximumTokens: 2) })
    #expect(try await session.run(prompt, host: last).exit == .cap("rounds"))
    let none = RecordingHost(admission: { _ in throw CapReached(cap: "calls") })
    await #expect(throws: CapReached.self) { try await session.run(prompt, host: none) }
    #expect(exits.all == [.cap("tokens"), .answered, .cap("rounds"), .cap("calls")])
  }

  @Test func `is the cap on tokens also where a model counts nothing but its parts`() async throws {
    let model = DirectModel { channel in
      for part in ["One", " two"] { await channel.send(part) }
    }
    for (limit, exit) in [(2, .cap("tokens")), (3, .answered)] as [(Int, TurnExit)] {
      let host = RecordingHost(admission: { _ in .go(maximumTokens: limit) })
      #expect(try await session(model).run(prompt, host: host).exit == exit)
    }
  }

  @Test func `is a tool's final answer, or its failure`() async {
    let done = Doing("done") { _ in throw FinalAnswer("42") }
    let broken = Doing("broken") { _ in throw Mishap() }
    let model = ScriptedLanguageModel(.call("done"), .call("broken"))
    let session = session(model, tools: [done, broken])
    for _ in 0..<2 {
      await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await session.respond(to: "Go")
      }
    }
    #expect(exits.all.first == .finalAnswer)
    guard case .failed(let problem) = exits.all.last else {
      Issue.record("\(exits.all)")
      return
    }
    #expect(problem.contains("The tool 'broken' ended the turn"))
  }

  @Test func `is a failure where a session of a hook ended by a final answer of its own`() async {
    let exits = exits
    let done = Doing("done") { _ in throw FinalAnswer("42") }
    let inner = LanguageModelSession(model: ScriptedLanguageModel(.call("done")), tools: [done])
    let profile = LanguageModelSession.Profile {}
      .onPrompt { _ = try await inner.respond(to: "Go") }
      .onExit { exits.add($0) }
      .model(ScriptedLanguageModel())
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    guard case .failed(let problem) = exits.all.first else {
      Issue.record("\(exits.all)")
      return
    }
    #expect(problem.contains("The tool 'done' ended the turn"))
  }

  @Test func `is the model's refusal, in its words`() async {
    let refusal = LanguageModelError.refusal(
      .init(explanation: "I do not do that.", debugDescription: "refused")
    )
    let session = session(ScriptedLanguageModel(.failure(refusal)))
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "Go") }
    #expect(exits.all == [.refused("I do not do that.")])
  }

  @Test func `is cancellation when the task is cancelled`() async {
    let session = session(ScriptedLanguageModel(.silence))
    let turn = Task { try await session.respond(to: "Go") }
    while !session.isResponding, !Task.isCancelled { await Task.yield() }
    turn.cancel()
    await #expect(throws: CancellationError.self) { try await turn.value }
    #expect(exits.all == [.cancelled])
  }

  @Test func `is what the host says of a cancellation`() async {
    let session = session(ScriptedLanguageModel(.silence))
    let prompt = prompt
    let turn = Task {
      try await session.run(prompt, host: RecordingHost(exitOfCancellation: .cap("seconds")))
    }
    while !session.isResponding, !Task.isCancelled { await Task.yield() }
    turn.cancel()
    await #expect(throws: CancellationError.self) { try await turn.value }
    #expect(exits.all == [.cap("seconds")])
  }

  @Test func `is told when the transcript is what the turn leaves, before the next may begin`()
    async
  {
    let model = ScriptedLanguageModel(.failure(Mishap()))
    let seen = Log()
    let session = LanguageModelSession(profile: Ending(model: model, log: seen))
    await #expect(throws: Mishap.self) { try await session.respond(to: "Go") }
    #expect(seen.lines == ["0 entries"])
    #expect(session.properties.exitCount == 1)
    #expect(!session.isResponding)
  }

  @Test func `is not this agent's where the baton was passed`() async throws {
    let session = session(ScriptedLanguageModel(.call("plain")), tools: [Plain()])
    #expect(try await session.run(prompt, host: RecordingHost(goesOn: false)).exit == nil)
    #expect(exits.all.isEmpty)
  }

  @Test func `is told to every profile that asks, the outermost first`() async throws {
    let log = Log()
    let profile = LanguageModelSession.Profile {}
      .model(ScriptedLanguageModel(.text("Hi.")))
      .onExit { log.add("inner \($0)") }
      .onExit { log.add("outer \($0)") }
    try await LanguageModelSession(profile: profile).respond(to: "Go")
    #expect(log.lines == ["outer answered", "inner answered"])
  }

  private struct Ending: LanguageModelSession.DynamicProfile {
    @SessionProperty(\.exitCount) var count
    @SessionProperty(\.history) var history
    let model: ScriptedLanguageModel
    let log: Log

    var body: some DynamicProfile {
      Profile {}
        .model(model)
        .onExit { _ in
          count += 1
          log.add("\(history.count) entries")
        }
    }
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var exitCount: Int = 0
}
