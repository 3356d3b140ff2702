import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct `A call without an output` {
  /// A worker that makes two calls, of which the first gets no output, and continues with `then`.
  private func table(
    _ then: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
  ) throws -> Table {
    try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "look"), tokens: 1)
        try await turn.record(.output("2", "look", "a boat"))
        return try await then(turn)
      },
      "b": answering("never"),
    ])
  }

  /// Expects the turn to fail and to be taken back, and its worker to be given up.
  private func expectGivenUp(_ table: Table) async throws {
    let summary = try await table.say("go")
    #expect(summary.exit == .failed("The worker of 'a' left the call '1' without an output."))
    #expect(summary.answer == nil)
    #expect(summary.holder == "a")
    #expect(try await table.words().isEmpty)
    let reader = JournalReader(table.journal)
    #expect(try await reader.turns(of: 1).map(\.isReverted) == [true])
    #expect(try await reader.inspect().flaws == [])
    await eventually { table.workers.of("a").map(\.wasRetired) == [true] }
  }

  @Test(arguments: [TurnEnding.answered, .modeChanged, .finalAnswer])
  func `lets no turn end as if nothing were missing`(ending: TurnEnding) async throws {
    try await expectGivenUp(table { _ in ending })
  }

  @Test func `is not left to the agent that the baton is passed to`() async throws {
    let table = try table { turn in
      let holder = try await turn.passBaton(to: "b", callID: "1")
      #expect(holder == "b")
      return .passed
    }
    try await expectGivenUp(table)
    #expect(table.workers.of("b").flatMap(\.orders).isEmpty)
  }

  @Test(arguments: [Transcript.Entry.response("It is a boat."), .call("3", "look")])
  func `is followed by no answer and by no other call`(entry: Transcript.Entry) async throws {
    let table = try table { turn in
      try await turn.record(entry, tokens: 1)
      throw BadOrder()
    }
    try await expectGivenUp(table)
    let said = try await JournalReader(table.journal).entries(of: 1).map(\.raw.words)
    #expect(said == ["prompt: go", "calls: look,look", "output: a boat"])
  }

  @Test(arguments: [TurnEnding.answered, .modeChanged, .finalAnswer])
  func `is none if its output came before what follows, also if it is held`(
    ending: TurnEnding
  ) async throws {
    let table = try table { turn in
      try turn.tell(.output("1", "look", "a crane"))
      try await turn.record(.response("A crane and a boat."), tokens: 1)
      return ending
    }
    let summary = try await table.say("go")
    #expect(summary.answer == "A crane and a boat.")
    #expect(
      try await table.words() == [
        "prompt: go", "calls: look,look", "output: a boat", "output: a crane",
        "response: A crane and a boat.",
      ]
    )
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
    #expect(table.workers.of("a").map(\.wasRetired) == [false])
  }

  @Test func `stays one where its tool has thrown and the profile keeps what was said`()
    async throws
  {
    let table = try table { _ in .failed(problem: "It is dark.", keepsEntries: true) }
    #expect(try await table.say("go").exit == .failed("It is dark."))
    #expect(
      try await table.words() == ["prompt: go", "calls: look,look", "output: a boat"]
    )
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
    #expect(table.workers.of("a").map(\.wasRetired) == [false])
  }
}
