import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// The places of the entries that an agent leaves of a prompt, its calls and the first output.
private let rests: [[Int]] = [[], [0], [0, 1], [2]]

/// A round in which the agent removes calls from the history, or an output from behind its call.
@Suite(.timeLimit(.minutes(5)))
struct `The calls that a worker has to finish` {
  private static let said = ["prompt: go", "calls: look,look", "output: a boat"]

  /// Makes two calls, of which the first gets its output, and leaves some entries of the history.
  private static func begin(_ turn: FakeTurn, leaving rest: [Int]) async throws {
    try await turn.admission()
    try await turn.record(.calls(["1", "2"], "look"), tokens: 1)
    try await turn.record(.output("1", "look", "a boat"))
    try await turn.write { entries in rest.map { entries[$0] } }
  }

  /// Expects that the last worker was told what to finish, and that what it said stands.
  private func expectFinished(_ table: Table, leaving rest: [Int]) async throws {
    let worker = try #require(table.workers.launched.last)
    let order = try #require(worker.orders.first)
    let left = rest.map { Self.said[$0] }
    #expect(order.added.map(\.words) == left)
    #expect(order.unfinishedCalls?.map(\.id) == ["2"])
    #expect(order.openCalls == ["2": .perhapsRun])
    #expect(!worker.wasRetired)
    let since = ["output: nothing", "response: A boat."]
    #expect(try await table.words() == Self.said + since)
    // The agents see what the agent has left, and what came after.
    let reader = JournalReader(table.journal)
    #expect(try await reader.history(of: 1).map(\.words) == left + since)
    #expect(try await reader.inspect().flaws == [])
  }

  @Test(arguments: rests)
  func `are those without outputs, whatever the history shows`(rest: [Int]) async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await Self.begin(turn, leaving: rest)
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { try await $0.answer("A boat.") }
      )
    ])
    let summary = try await table.say("go")
    #expect(summary.exit == .answered)
    #expect(summary.answer == "A boat.")
    try await expectFinished(table, leaving: rest)
  }

  @Test func `are none for the agent that the baton is passed to`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "pass_baton"), tokens: 1)
        let holder = try await turn.passBaton(to: "b", callID: "1")
        try await turn.record(.output("1", "pass_baton", "with \(holder)"))
        try await turn.write { Array($0.dropLast()) }
        return .passed
      },
      "b": answering("I am b."),
    ])
    #expect(try await table.say("go").answer == "I am b.")
    let order = try #require(table.workers.of("b").first?.orders.first)
    #expect(order.added.map(\.words) == ["prompt: go", "calls: pass_baton"])
    #expect(order.unfinishedCalls?.isEmpty == true)
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
  }

  @Test func `are not told where the history shows them`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.calls(["1", "1"], "look"))
          try await turn.record(.output("1", "look", "a boat"))
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { try await $0.answer("A boat.") }
      )
    ])
    #expect(try await table.say("go").answer == "A boat.")
    let orders = table.workers.launched.flatMap(\.orders)
    #expect(orders.count == 2)
    #expect(orders.allSatisfy { $0.unfinishedCalls == nil })
  }
}
