import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// A worker that has reached a bound is named, with the tool, and gets no further turn.
@Suite(.timeLimit(.minutes(5)))
struct ExhaustionTests {
  private static let exhaustion = Exhaustion(.descriptors, bound: 256, tools: ["leak"])

  /// Makes a call that uses everything up.
  private static func leak(_ turn: FakeTurn) async throws {
    try await turn.admission()
    try await turn.record(.call("1", "leak"))
    try await turn.record(.output("1", "leak", "leaked"))
    try turn.worker.say(.exhausted(exhaustion))
  }

  private static let failing: @Sendable (FakeTurn) async throws -> TurnEnding = { turn in
    try await leak(turn)
    try await turn.admission()
    return .failed(problem: "The server cannot be reached.", keepsEntries: false)
  }

  @Test func `It is told of, retired after the turn, and another takes its place`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await Self.leak(turn)
          return try await turn.answer("hello")
        },
        { try await $0.answer("fresh") }
      )
    ])
    let watched = Watched()
    #expect(try await table.say("one", watch: watched.note).answer == "hello")
    let troubles = watched.all.compactMap { if case .trouble(let text) = $0 { text } else { nil } }
    #expect(troubles.count == 1)
    #expect(troubles.allSatisfy { $0.contains("256 descriptors") && $0.contains("'leak'") })
    await eventually { table.workers.launched.first?.hasEnded == true }
    #expect(try await table.say("two").answer == "fresh")
    #expect(table.workers.launched.map(\.orders.count) == [1, 1])
    // The new one knows nothing yet.
    #expect(table.workers.launched.last?.orders.first?.kept == 0)
    let run = try #require(try await JournalReader(table.journal).runs().first)
    #expect(run.cause == "exhausted")
    #expect(run.outcome == Self.exhaustion.description)
  }

  @Test func `What it cannot do any more is done by another, and no call is made twice`()
    async throws
  {
    let table = try Table(["a": lives(Self.failing, { try await $0.answer("fine") })])
    let watched = Watched()
    let summary = try await table.say("one", watch: watched.note)
    #expect(summary.answer == "fine")
    #expect(
      watched.all.contains(
        .workerReplaced(agent: "a", death: "\(Self.exhaustion.description).")
      )
    )
    #expect(
      try await table.words() == [
        "prompt: one", "calls: leak", "output: leaked", "response: fine",
      ]
    )
    let reader = JournalReader(table.journal)
    let talk = try #require(try await reader.conversation(named: "talk"))
    #expect(try await reader.deaths(of: talk.id).map(\.cause) == [Self.exhaustion.description])
    #expect(try await table.say("two").answer == "fine")
    #expect(table.workers.launched.count == 2)
  }

  @Test func `The error of a turn that it ends names the bound and the tool`() async throws {
    let table = try Table(["a": serving(Self.failing)], restarts: .never)
    let exit = try await table.say("one").exit
    #expect(exit == .failed("The worker of 'a' died: \(Self.exhaustion)."))
  }

  @Test func `The error of a friend does so, too`() async throws {
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("b", "why?") }, "b": serving(Self.failing),
    ])
    let answer = try #require(try await table.say("one").answer)
    #expect(answer.contains("256 descriptors") && answer.contains("'leak'"))
  }

  @Test func `One that gets the baton back in the same turn is another`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try turn.worker.say(.exhausted(Self.exhaustion))
          return try await turn.pass(to: "b", callID: "1")
        },
        { try await $0.answer("back") }
      ),
      "b": serving { try await $0.pass(to: "a", callID: "2") },
    ])
    #expect(try await table.say("one").answer == "back")
    #expect(table.workers.of("a").count == 2)
  }

  @Test func `The tool that ran when a worker was killed at a bound is named`() async throws {
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "multiply"))
          turn.worker.end(.tooManyThreads(limit: 512))
          throw WorkerGone()
        }
      ],
      restarts: .never
    )
    guard case .failed(let problem) = try await table.say("one").exit else {
      Issue.record("it did not fail")
      return
    }
    #expect(problem.contains("512 threads") && problem.contains("'multiply'"))
  }
}
