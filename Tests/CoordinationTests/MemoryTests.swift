import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `A worker that there is no memory for` {
  private let wait = LaunchWait(place: 2, needed: 512, free: 128)

  @Test func `is told of, and waits no longer than its turn`() async throws {
    let table = try Table(["a": answering("hello")])
    table.workers.beShort(wait)
    let (watched, waits) = (Watched(), Signal())
    async let summary = table.say("one") { event in
      watched.note(event)
      if case .memoryAwaited = event { waits.fire() }
    }
    await waits.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(watched.all.contains(.memoryAwaited(agent: "a", wait)))
    #expect(table.workers.launched.isEmpty)
    table.workers.beShort(nil)
    #expect(try await table.say("two").answer == "hello")
  }

  @Test func `is told of where a friend is meant, and waits no longer than the call`() async throws
  {
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("title", "why?") }, "title": answering("b"),
    ])
    try await table.say("warm up", caps: "fanout=0")
    table.workers.beShort(wait)
    let waits = Signal()
    async let summary = table.say("go") { event in
      if event == .memoryAwaited(agent: "title", self.wait) { waits.fire() }
    }
    await waits.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(table.workers.of("title").isEmpty)
  }

  @Test func `is told of where it is to take the baton, and waits no longer than the giver's turn`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        guard turn.order.added[0].words.contains("pass") else { return try await turn.answer("a") }
        return try await turn.pass(to: "b", callID: "1")
      },
      "b": answering("b"),
    ])
    try await table.say("warm up")
    table.workers.beShort(wait)
    let (watched, waits) = (Watched(), Signal())
    async let summary = table.say("pass") { event in
      watched.note(event)
      if event == .memoryAwaited(agent: "b", self.wait) { waits.fire() }
    }
    await waits.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    await eventually { table.workers.waiting == 0 }
    #expect(!watched.all.contains { if case .trouble = $0 { true } else { false } })
    table.workers.beShort(nil)
    #expect(try await table.say("pass again").answer == "b")
    #expect(table.workers.of("b").count == 1)
  }

  @Test func `ends the turn with the figures when it is refused`() async throws {
    struct Shortage: Error, CustomStringConvertible { let description = "512 MB are needed." }
    let table = try Table(["a": answering("hello")])
    table.workers.fail(with: Shortage())
    #expect(try await table.say("one").exit == .failed("512 MB are needed."))
  }

  @Test func `ends with the coordinator`() async throws {
    let table = try Table(["a": answering("hello")])
    table.workers.beShort(wait)
    let waits = Signal()
    async let summary = table.say("one") { event in
      if case .memoryAwaited = event { waits.fire() }
    }
    await waits.wait()
    await table.sessions.close()
    #expect(try await summary.exit == .cancelled)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Memory for others` {
  @Test func `comes from the conversation that has been idle for the longest`() async throws {
    let table = try Table(["a": answering("hello")])
    for name in ["first", "second"] { try await table.say("hi", in: name) }
    #expect(await table.sessions.retireIdleWorkers())
    #expect(table.workers.launched.map(\.wasRetired) == [true, false])
    #expect(await table.sessions.retireIdleWorkers())
    #expect(table.workers.launched.map(\.wasRetired) == [true, true])
    #expect(await table.sessions.retireIdleWorkers() == false)
    #expect(try await table.say("again", in: "first").answer == "hello")
    // The new worker is sent the whole history.
    #expect(table.workers.launched.last?.orders.map(\.added.count) == [3])
  }

  @Test func `does not come from the agent that answers, but from the one that passed the baton`()
    async throws
  {
    let (began, hold) = (Signal(), Signal())
    let table = try Table([
      "a": serving { try await $0.pass(to: "b", callID: "1") },
      "b": serving { turn in
        began.fire()
        await hold.wait()
        return try await turn.answer("I am b.")
      },
    ])
    async let summary = table.say("go")
    await began.wait()
    #expect(await table.sessions.retireIdleWorkers())
    #expect(table.workers.of("a").map(\.wasRetired) == [true])
    #expect(await table.sessions.retireIdleWorkers() == false)
    hold.fire()
    #expect(try await summary.answer == "I am b.")
  }

  @Test(arguments: [false, true])
  func `does not come from who is there to take the baton and has not been asked yet`(
    isSpare: Bool
  ) async throws {
    let table = try Table([
      "a": serving { try await $0.pass(to: "b", callID: "1") },
      "b": answering("I am b."),
    ])
    if isSpare { table.workers.lendSpares() }
    let (isWaiting, handOver) = (Signal(), Signal())
    table.workers.announce("b", by: handOver)
    let talk = try await table.talk.conversation
    async let wasThereAny = talk.retireIdleWorkers(at: handOver, isWaiting: isWaiting)
    await isWaiting.wait()
    #expect(try await table.say("go").answer == "I am b.")
    #expect(await !wasThereAny)
    #expect(table.workers.of("b").map(\.wasRetired) == [false])
  }
}

extension Conversation {
  /// Ends idle workers at a moment that comes while this actor is busy, before anything that it is
  /// given to do afterwards.
  ///
  /// - Parameter isWaiting: Fires when nothing but that moment is waited for.
  fileprivate func retireIdleWorkers(at moment: Signal, isWaiting: Signal) async -> Bool {
    isWaiting.fire()
    // It resumes on this actor, and so has its place in the queue as soon as the signal fires.
    await moment.wait()
    return await retireIdleWorkers()
  }
}

extension Table {
  /// Sends one prompt in a named conversation.
  @discardableResult
  fileprivate func say(_ prompt: String, in name: String) async throws -> TurnSummary {
    let talk = try await sessions.session(named: name)
    return try #require(try await talk.respond(to: prompt, caps: Caps()) { _ in })
  }
}
