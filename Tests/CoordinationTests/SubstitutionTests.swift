import AgentKit
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// The holder of the baton is not available.
@Suite(.timeLimit(.minutes(5)))
struct SubstitutionTests {
  private func table() throws -> Table {
    try Table(["a": answering("I am a."), "b": answering("I am b.")])
  }

  @Test func `Where no agent can be listed the baton stays, also in the journal`() async throws {
    let table = try table()
    try await table.say("one")
    table.catalog.insist(on: "b")
    for name in ["a", "b"] { table.catalog.remove(name) }
    let failed = try await table.say("two")
    #expect(failed.exit == .failed("There is no longer an agent named 'b'."))
    #expect(failed.holder == "a")
    #expect(try await table.journaledHolder() == "a")
    for name in ["a", "b"] { table.catalog.add(name) }
    #expect(try await table.say("three").answer == "I am a.")
  }

  @Test func `Who answers in its place has the baton after a restart, too`() async throws {
    let before = try table()
    try await before.say("one")
    before.catalog.remove("a")
    let watched = Watched()
    let summary = try await before.say("two", watch: watched.note)
    #expect(summary.answer == "I am b.")
    #expect(summary.holder == "b")
    // The person who asked is told before the answer begins.
    #expect(
      Array(watched.all.prefix(3)) == [
        .accepted(turn: 2, conversation: "talk"),
        .trouble("a is not available: another agent answers in its place."),
        .batonPassed(from: "a", to: "b"),
      ]
    )
    #expect(try await before.journaledHolder() == "b")
    let table = try Table(
      ["a": answering("I am a."), "b": answering("still b")],
      after: before
    )
    #expect(try await table.say("three").answer == "still b")
    #expect(try await JournalReader(before.journal).inspect().flaws.isEmpty)
  }

  @Test func `A turn that is taken back gives the baton back to the one that was not there`()
    async throws
  {
    let table = try table()
    try await table.say("one")
    table.catalog.remove("a")
    table.workers.play("b", serving { _ in .failed(problem: "no", keepsEntries: false) })
    let failed = try await table.say("two")
    #expect(failed.exit == .failed("no"))
    #expect(failed.holder == "a")
    #expect(try await table.journaledHolder() == "a")
    table.catalog.add("a")
    #expect(try await table.say("three").answer == "I am a.")
  }

  @Test func `One that does not compile keeps the baton, and prompts are refused until it does`()
    async throws
  {
    let table = try table()
    try await table.say("one")
    table.catalog.remove("a")
    table.catalog.spoil("a", "A.swift:1:8: error: no")
    let refusal = ConversationError.unusableAgent("a", problem: "A.swift:1:8: error: no")
    await #expect(throws: refusal) { try await table.say("two") }
    #expect("\(refusal)".contains("cannot be used now: A.swift:1:8: error: no. "))
    #expect(try await table.journaledHolder() == "a")
    table.catalog.spoil("a", nil)
    table.catalog.add("a")
    #expect(try await table.say("three").answer == "I am a.")
    // Nothing is left of the prompt that was refused.
    #expect(
      try await table.words() == [
        "prompt: one", "response: I am a.", "prompt: three", "response: I am a.",
      ]
    )
  }

  @Test func `An interrupted turn waits for one that does not compile, and that does not count`()
    async throws
  {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let table = try Table(["b": answering("I am b.")], after: restart.before)
    table.catalog.spoil("a", "no")
    await #expect(throws: ConversationError.unusableAgent("a", problem: "no")) {
      try await table.say("next")
    }
    #expect(try await table.talk.isInterrupted)
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.resumptions) == [0])
    table.catalog.spoil("a", nil)
    #expect(try await table.say("next").holder == "b")
    #expect(try await !table.talk.isInterrupted)
  }

  @Test func `Another goes on with an interrupted turn, and it can be taken back`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let table = try Table(
      ["b": serving { _ in .failed(problem: "no", keepsEntries: false) }],
      after: restart.before
    )
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.exit == .failed("no"))
    #expect(summary.holder == "a")
    let batons = try await JournalReader(table.journal).batons(of: summary.turn)
    #expect(batons.map { [$0.from, $0.to] } == [["a", "b"]])
    #expect(try await table.journaledHolder() == "a")
  }
}
