import AgentKit
import Dispatch
import Journal
import Testing
import Wire

@testable import Coordination

/// Held entries that cannot be written, or that another worker's message follows.
@Suite(.timeLimit(.minutes(5)))
struct HeldEntriesOfOthersTests {
  @Test(arguments: [Duration.ages, .milliseconds(5)])
  func `Where they cannot be written, the turn ends and its worker with it`(
    patience: Duration
  ) async throws {
    let (told, broken) = (Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          told.fire()
          await broken.wait()
          try turn.tell(.output("1", "look", "a boat"))
          try await turn.settle()
          return try await turn.answer("It was a boat.")
        }
      ],
      entryPatience: patience
    )
    let prompt = Task { try await table.say("look") }
    await told.wait()
    try await table.breakJournal("entry")
    broken.fire()
    guard case .failed(let problem) = try await prompt.value.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(problem.contains("entry"))
    await eventually { table.workers.of("a").map(\.wasRetired) == [true] }
    let heard = try #require(table.workers.of("a").first).heard
    #expect(!heard.contains { if case .settled = $0 { true } else { false } })
  }

  @Test func `Where they cannot be written when their turn is stopped, its end is`() async throws {
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          try turn.tell(.output("1", "look", "a boat"))
          try await turn.worker.hang()
        }
      ],
      stopPatience: .zero,
      entryPatience: .ages
    )
    let prompt = Task { try await table.say("look") }
    try await table.expectHeld()
    try await table.breakJournal("entry")
    try await table.talk.cancel()
    #expect(try await prompt.value.exit == .cancelled)
    let reader = JournalReader(table.journal)
    let talk = try #require(try await reader.conversation(named: "talk"))
    #expect(try await reader.turns(of: talk.id).map(\.exit) == [.cancelled])
  }

  /// Two workers: the second takes the baton, sends a held entry and waits for `mayGoOn`.
  private func two(
    mayGoOn: Signal,
    _ then: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
  ) throws -> Table {
    try Table(
      [
        "a": serving { try await $0.pass(to: "b", callID: "p") },
        "b": lives(
          { turn in
            try await turn.admission()
            try await turn.record(.call("1", "look"), tokens: 1)
            try turn.tell(.output("1", "look", "a boat"))
            await mayGoOn.wait()
            return try await then(turn)
          },
          { turn in
            #expect(turn.order.added.last?.words == "output: a boat")
            return try await turn.answer("It was a boat.")
          }
        ),
      ],
      entryPatience: .ages
    )
  }

  @Test func `Another worker's word does not have them written`() async throws {
    let mayGoOn = Signal()
    let table = try two(mayGoOn: mayGoOn) { turn in
      turn.worker.end(.signaled(11))
      throw WorkerGone()
    }
    async let turn = table.say("look")
    try await table.expectHeld()
    let written = DispatchSemaphore(value: 0)
    await table.holdJournal(until: written)
    try #require(table.workers.of("a").first).say(.pong(1))
    mayGoOn.fire()
    written.signal()
    #expect(try await turn.answer == "It was a boat.")
    let outputs = try await table.said().filter { $0.hasPrefix("output: a boat") }
    #expect(outputs.count == 1)
  }

  @Test func `Another worker does not answer for it where they cannot be written`() async throws {
    let mayGoOn = Signal()
    let table = try two(mayGoOn: mayGoOn) { turn in
      try await turn.settle()
      return try await turn.answer("It was a boat.")
    }
    let prompt = Task { try await table.say("look") }
    try await table.expectHeld()
    try await table.breakJournal("entry")
    let other = try #require(table.workers.of("a").first)
    try other.say(.pong(1))
    mayGoOn.fire()
    guard case .failed = try await prompt.value.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    await eventually { table.workers.of("b").map(\.wasRetired) == [true] }
    #expect(!other.wasRetired)
  }
}
