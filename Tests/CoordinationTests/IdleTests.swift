import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(1)))
struct IdleTests {
  @Test func `Workers of an idle conversation end, and the next prompt brings them back`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    await table.conversations.retireWorkers(idleFor: 3600)
    #expect(table.workers.launched.map(\.wasRetired) == [false])
    await table.conversations.retireWorkers(idleFor: 0)
    await eventually { table.workers.launched.map(\.wasRetired) == [true] }
    let summary = try await table.say("two")
    #expect(summary.answer == "hello")
    #expect(table.workers.launched.count == 2)
    // The new one is told everything.
    #expect(table.workers.launched[1].orders.map(\.added.count) == [3])
  }
}
