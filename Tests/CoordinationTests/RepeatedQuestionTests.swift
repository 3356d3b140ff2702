import AgentKit
import Testing
import Wire

@testable import Coordination

/// A call that asks the same friend the same question several times.
@Suite(.timeLimit(.minutes(5)))
struct RepeatedQuestionTests {
  /// Asks within one call whether the tests pass, and answers with all that it heard.
  private static func asking(times: Int) -> @Sendable (FakeTurn) async throws -> TurnEnding {
    { turn in
      let heard = try await turn.phone("tester", "run the tests", callID: "1", times: times)
      return try await turn.answer(heard)
    }
  }

  @Test func `It hears what the friend says now`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "mend"))
        return try await Self.asking(times: 2)(turn)
      },
      "tester": lives({ try await $0.answer("red") }, { try await $0.answer("green") }),
    ])
    #expect(try await table.say("go").answer == "red green")
    #expect(table.workers.of("tester").count == 2)
    #expect(try await table.friends().count == 2)
  }

  @Test func `Asked again before it is answered, it is another question`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "mend"))
        async let first = turn.phone("tester", "run the tests", callID: "1")
        async let second = turn.phone("tester", "run the tests", callID: "1")
        #expect(try await [first.text, second.text] == ["green", "green"])
        return try await turn.answer("done")
      },
      "tester": answering("green"),
    ])
    #expect(try await table.say("go").answer == "done")
    #expect(table.workers.of("tester").count == 2)
  }

  @Test func `A worker that takes the call over hears the same answers in the same order`()
    async throws
  {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.call("1", "mend"))
          _ = try await turn.phone("tester", "run the tests", callID: "1", times: 2)
          turn.worker.end(.signaled(11))
          throw WorkerGone()
        },
        Self.asking(times: 3)
      ),
      "tester": lives(
        { try await $0.answer("red") },
        { try await $0.answer("green") },
        { try await $0.answer("blue") }
      ),
    ])
    #expect(try await table.say("go").answer == "red green blue")
    #expect(table.workers.of("tester").count == 3)
  }
}
