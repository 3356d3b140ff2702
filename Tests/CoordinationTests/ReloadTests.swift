import AgentKit
import Testing
import Wire

@testable import Coordination

/// Every restart here follows a kill: the first coordinator closes nothing.
@Suite(.timeLimit(.minutes(5)))
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

  @Test func `A holder that is there no more gives its baton to who begins`() async throws {
    let before = try Table(["a": Self.passing, "b": answering("I am b.")])
    try await before.say("pass")
    let table = try Table(["c": answering("I am c.")], after: before)
    #expect(try await table.say("hello").answer == "I am c.")
  }

  @Test func `Sessions do not see each other`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    let other = try await table.sessions.session(named: "other")
    _ = try await other.respond(to: "two", caps: Caps()) { _ in }
    #expect(table.workers.launched.count == 2)
    #expect(table.workers.launched.last?.orders.map(\.added.count) == [1])
    #expect(try await table.words() == ["prompt: one", "response: hello"])
  }
}
