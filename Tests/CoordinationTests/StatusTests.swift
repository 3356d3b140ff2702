import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct StatusTests {
  @Test func `Who has held the baton waits, who holds it is idle, with figures`() async throws {
    let table = try Table([
      "a": serving { try await $0.pass(to: "b", callID: "1") }, "b": answering("I am b."),
    ])
    try await table.say("go")
    let workers = await table.sessions.workers()
    #expect(workers.map(\.agent) == ["a", "b"])
    #expect(workers.map(\.role) == [.waiting, .baton])
    #expect(workers.map(\.state) == [.idle, .idle])
    #expect(workers.map(\.tokensOut) == [2, 3])
    #expect(workers.map(\.tokensIn) == [2, 2])
    #expect(workers.map(\.tokensPerSecond) == [4, 6])
    #expect(workers.map(\.model) == ["fake", "fake"])
    #expect(workers.map(\.memory) == [4096, 4096])
    #expect(workers.map(\.session) == ["talk", "talk"])
    #expect(workers.map(\.pid) == table.workers.launched.map(\.pid))
  }

  @Test func `A friend stands under the worker that phoned it, and then no more`() async throws {
    let (began, hold) = (Signal(), Signal())
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("title", "why?") },
      "title": serving { turn in
        try await turn.admission()
        began.fire()
        await hold.wait()
        return try await turn.answer("because")
      },
    ])
    async let summary = table.say("go")
    await began.wait()
    let workers = await table.sessions.workers()
    #expect(workers.map(\.tokensOut) == [2])
    #expect(workers.map(\.agent) == ["a"])
    #expect(workers.map(\.state) == [.responding])
    #expect(workers.map(\.tools) == [["ask"]])
    #expect(workers.first?.friends.map(\.tools) == [[]])
    #expect(workers.first?.friends.map(\.agent) == ["title"])
    #expect(workers.first?.friends.map(\.role) == [.friend])
    #expect(workers.first?.friends.map(\.state) == [.responding])
    hold.fire()
    _ = try await summary
    let after = await table.sessions.workers()
    #expect(after.map(\.friends.count) == [0])
    #expect(after.map(\.tools) == [[]])
    // The worker's own tokens plus the friend's.
    #expect(after.map(\.tokensOut) == [2 + 3 + 3])
    #expect(after.map(\.state) == [.idle])
  }

  @Test func `A worker is shown, whatever its speed`() async throws {
    let table = try Table([
      "a": serving { turn in
        let usage = RequestUsage(tokensOut: 1_000_000, seconds: .leastNonzeroMagnitude)
        try turn.tell(.record([RawEntry(.response("hello"))], usage))
        return .answered
      }
    ])
    try await table.say("go", caps: "tokens=2000000")
    let workers = await table.sessions.workers()
    #expect(workers.map(\.tokensOut) == [1_000_000])
    #expect(workers.map(\.tokensPerSecond) == [0])
  }

  @Test func `Tools that run are named, and one that waits for a person is not`() async throws {
    let (asked, isAnswered, kept, hold) = (Signal(), Signal(), Signal(), Signal())
    let table = try Table([
      "a": serving { turn in
        let calls = [("1", "look"), ("2", "risk"), ("3", "ask")].map { id, tool in
          Transcript.ToolCall(id: id, toolName: tool, arguments: .init(properties: [:]))
        }
        try await turn.record(.toolCalls(.init(calls)))
        #expect(try await turn.approval(of: "2") == .approved)
        isAnswered.fire()
        try await turn.record(.output("1", "look", "seen"))
        kept.fire()
        await hold.wait()
        return try await turn.answer("done")
      }
    ])
    let desk = table.sessions.approvals
    let question = Mutex<Int64?>(nil)
    async let summary = table.say("go", isAttended: true) { event in
      guard case .approvalAsked(let record) = event else { return }
      question.withLock { $0 = record.id }
      asked.fire()
    }
    await asked.wait()
    func tools() async -> [String]? { await table.sessions.workers().first?.tools }
    #expect(await tools() == ["look", "ask"])
    try await desk.answer(try #require(question.withLock { $0 }), denial: nil, by: .chat)
    await isAnswered.wait()
    await kept.wait()
    #expect(await tools() == ["risk", "ask"])
    hold.fire()
    _ = try await summary
  }

  @Test func `While a conversation is being opened, the others are shown`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    try await table.say("go")
    let gate = Signal()
    let asked = table.catalog.hold(until: gate)
    let opening = Task { try await table.sessions.session(named: "other") }
    await asked.wait()
    // Cancelling the test fires the gate, so that the time limit also ends whatever waits for it.
    await withTaskCancellationHandler {
      #expect(await table.sessions.workers().map(\.session) == ["talk"])
      #expect(await table.sessions.retireIdleWorkers())
    } onCancel: {
      gate.fire()
    }
    gate.fire()
    _ = try await opening.value
    #expect(table.workers.living.isEmpty)
  }

  @Test func `A worker that is not ready yet is loading`() async throws {
    let asked = Signal()
    let script: Script = { worker in
      _ = try await worker.hear { if case .turn = $0 { true } else { false } }
      asked.fire()
      try await worker.hang()
    }
    let table = try Table(["a": script], stopPatience: .zero)
    async let summary = table.say("go")
    // Stop only after the worker has the turn; before that, it would be kept for the next one.
    await asked.wait()
    #expect(await table.sessions.workers().map(\.state) == [.loading])
    try await table.talk.cancel()
    _ = try await summary
    #expect(await table.sessions.workers().isEmpty)
  }
}
