import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct IdleTests {
  @Test func `Workers of an idle conversation end, and the next prompt brings them back`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    await table.sessions.retireWorkers(idleFor: .seconds(3600))
    #expect(table.workers.launched.map(\.wasRetired) == [false])
    await table.sessions.retireWorkers(idleFor: .zero)
    await eventually { table.workers.launched.map(\.wasRetired) == [true] }
    let summary = try await table.say("two")
    #expect(summary.answer == "hello")
    #expect(table.workers.launched.count == 2)
    // The new worker is sent the whole history.
    #expect(table.workers.launched[1].orders.map(\.added.count) == [3])
  }

  /// Lets all conversations of a table go idle.
  private func rest(_ table: Table) async {
    await table.sessions.retireWorkers(idleFor: .zero)
    await eventually { table.workers.launched.allSatisfy(\.hasEnded) }
    await eventually { await table.sessions.workers().isEmpty }
    await table.sessions.retireWorkers(idleFor: .zero)
  }

  @Test func `What was said in an idle conversation is forgotten, and read again`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    weak let conversation = try await table.talk
    #expect(conversation != nil)
    await table.sessions.retireWorkers(idleFor: .seconds(3600))
    #expect(conversation != nil)
    await eventually {
      await rest(table)
      return conversation == nil
    }
    #expect(try await table.say("two").answer == "hello")
    #expect(table.workers.launched.last?.orders.map(\.added.count) == [3])
  }

  @Test func `There are never two of one conversation, and one that is in use is closed`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    let held = try await table.talk
    await rest(table)
    let again = try await table.talk
    #expect(again === held)
    await rest(table)
    _ = try await held.respond(to: "two", caps: Caps()) { _ in }
    #expect(await table.sessions.workers().count == 1)
    await table.sessions.close()
    #expect(table.workers.launched.map(\.hasEnded) == [true, true])
    await #expect(throws: ConversationError.closed) {
      try await held.respond(to: "three", caps: Caps()) { _ in }
    }
  }
}
