import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct CloseTests {
  private static func deaf(_ began: Signal) -> Script {
    serving { turn in
      began.fire()
      try await turn.worker.hang()
    }
  }

  @Test func `When it has closed, all workers are gone and their ends are on disk`() async throws {
    let table = try Table([
      "a": serving { try await $0.pass(to: "b", callID: "1") }, "b": answering("I am b."),
    ])
    try await table.say("go")
    table.catalog.change("b", plugin: "b-2.so")
    try await table.say("again")
    await table.sessions.close()
    #expect(table.workers.launched.count == 3)
    #expect(table.workers.living.isEmpty)
    let runs = try await JournalReader(table.journal).runs()
    #expect(runs.map(\.outcome) == ["it ended", "it ended", "it ended"])
    #expect(await table.sessions.workers().isEmpty)
  }

  @Test func `Nothing is accepted any more`() async throws {
    let table = try Table(["a": answering("hello")])
    let talk = try await table.talk
    await table.sessions.close()
    await #expect(throws: ConversationError.closed) { try await table.talk }
    await #expect(throws: ConversationError.closed) {
      try await talk.respond(to: "one", caps: Caps()) { _ in }
    }
    #expect(table.workers.launched.isEmpty)
  }

  @Test func `The turn is cancelled, the prompts that wait are refused`() async throws {
    let began = Signal()
    let table = try Table(["a": Self.deaf(began)])
    let talk = try await table.talk
    async let first = table.say("one")
    await began.wait()
    let second = Task { try await table.say("two") }
    await eventually { await talk.waitingPrompts == 1 }
    await table.sessions.close()
    #expect(try await first.exit == .cancelled)
    await #expect(throws: ConversationError.closed) { try await second.value }
    #expect(table.workers.launched.count == 1)
    #expect(try await JournalReader(table.journal).turns(of: 1).map(\.exit) == [.cancelled])
  }

  @Test(arguments: [false, true])
  func `An agent's compilation ends with the turn that waits for it`(closes: Bool) async throws {
    let table = try Table(["a": answering("hello")])
    let (talk, began) = (try await table.talk, Signal())
    let turn = Task {
      try await talk.respond(to: "one", caps: Caps()) { event in
        guard case .accepted = event else { return }
        let compiles = table.catalog.compileSlowly()
        Task {
          await compiles.wait()
          began.fire()
        }
      }
    }
    await began.wait()
    #expect(table.catalog.isCompiling)
    if closes {
      await table.sessions.close()
      #expect(!table.catalog.isCompiling)
    } else {
      await talk.cancel()
      await eventually { !table.catalog.isCompiling }
    }
    #expect(try await turn.value?.exit == .cancelled)
    #expect(table.workers.launched.isEmpty)
  }

  @Test func `Friends and their friends are gone too`() async throws {
    let began = Signal()
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("b", "why?") },
      "b": serving { try await $0.answerWithFriend("c", "why?") },
      "c": Self.deaf(began),
    ])
    async let summary = table.say("one")
    await began.wait()
    await table.sessions.close()
    #expect(try await summary.exit == .cancelled)
    #expect(table.workers.launched.count == 3)
    #expect(table.workers.living.isEmpty)
    let runs = try await JournalReader(table.journal).runs()
    #expect(runs.map { $0.outcome != nil } == [true, true, true])
  }

  @Test func `A worker that is being launched meanwhile is gone as well`() async throws {
    let gate = Signal()
    let table = try Table(["a": answering("hello")])
    table.workers.hold(until: gate)
    async let summary = table.say("one")
    await table.workers.asked.wait()
    async let closing: Void = table.sessions.close()
    #expect(try await summary.exit == .cancelled)
    gate.fire()
    await closing
    #expect(table.workers.launched.map(\.hasEnded) == [true])
    #expect(try await JournalReader(table.journal).runs().map(\.outcome) == ["it ended"])
  }

  @Test func `A worker that nothing can end is not waited for, also where it is a friend's`()
    async throws
  {
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("b", "why?") },
      "b": serving { turn in
        turn.worker.stick()
        return try await turn.answer("because")
      },
    ])
    #expect(try await table.say("one").exit == .answered)
    let stuck = table.workers.of("b")[0]
    #expect(stuck.wasRetired)
    #expect(!stuck.hasEnded)
    table.workers.of("a")[0].stick()
    await table.sessions.close()
    #expect(table.workers.living.count == 2)
    for worker in table.workers.launched { worker.end(.farewell(.done)) }
  }
}
