import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// Every restart here is one after a kill: the first coordinator closes nothing.
@Suite(.timeLimit(.minutes(1)))
struct ReloadTests {
  private static let passing = serving { turn in
    guard turn.order.added.last?.words == "prompt: pass" else {
      return try await turn.answer("I am a.")
    }
    return try await turn.pass(to: "b", callID: "\(turn.id)")
  }

  @Test func `A conversation goes on where it stopped`() async throws {
    let before = try Table(["a": Self.passing, "b": answering("I am b.")])
    try await before.say("hello")
    try await before.say("pass")
    let table = try Table(["a": answering("never"), "b": answering("still b")], after: before)
    let summary = try await table.say("again")
    #expect(summary.answer == "still b")
    #expect(table.workers.of("a").isEmpty)
    let order = try #require(table.workers.of("b").first?.orders.first)
    #expect(order.kept == 0)
    #expect(order.added.map(\.words) == Array(try await before.words().dropLast()))
    #expect(order.added.last?.words == "prompt: again")
  }

  @Test func `A turn that nobody ended is failed and taken back`() async throws {
    let began = Signal()
    let before = try Table([
      "a": Self.passing,
      "b": serving { turn in
        try await turn.record(.call("1", "think"))
        began.fire()
        try await turn.worker.hang()
      },
    ])
    try await before.say("hello")
    let abandoned = Task { try await before.say("pass") }
    await began.wait()
    let table = try Table(["a": answering("I am a."), "b": answering("never")], after: before)
    let summary = try await table.say("again")
    #expect(summary.answer == "I am a.")
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(
      turns.map(\.exit) == [
        .answered, .failed("The coordinator ended during the turn."), .answered,
      ]
    )
    #expect(turns.map(\.isReverted) == [false, true, false])
    let order = try #require(table.workers.of("a").first?.orders.first)
    #expect(order.added.map(\.words) == ["prompt: hello", "response: I am a.", "prompt: again"])
    // Only for the test's own sake: nobody waits for the first coordinator.
    abandoned.cancel()
    before.workers.launched.forEach { $0.kill() }
    _ = try await abandoned.value
  }

  @Test func `A holder that is there no more gives its baton to who begins`() async throws {
    let before = try Table(["a": Self.passing, "b": answering("I am b.")])
    try await before.say("pass")
    let table = try Table(["c": answering("I am c.")], after: before)
    #expect(try await table.say("hello").answer == "I am c.")
  }

  @Test func `Conversations do not see each other`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    let other = try await table.conversations.conversation(named: "other")
    _ = try await other.respond(to: "two", caps: Caps()) { _ in }
    #expect(table.workers.launched.count == 2)
    #expect(table.workers.launched.last?.orders.map(\.added.count) == [1])
    #expect(try await table.words() == ["prompt: one", "response: hello"])
  }
}
