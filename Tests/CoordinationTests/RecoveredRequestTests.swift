import AgentKit
import Synchronization
import Testing
import Wire

@testable import Coordination

/// A worker dies before any part of its request is journaled.
@Suite(.timeLimit(.minutes(5)))
struct RecoveredRequestTests {
  private static func die(_ turn: FakeTurn) throws -> Never {
    turn.worker.end(.signaled(11))
    throw WorkerGone()
  }

  @Test func `The only request that a cap allows is made again`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.admission()
          try Self.die(turn)
        },
        { try await $0.answer("hello") }
      )
    ])
    let summary = try await table.say("go", caps: "rounds=1,policy=fail")
    #expect(summary.exit == .answered)
    #expect(summary.answer == "hello")
  }

  @Test func `A request that has made something journaled stays spent`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          try Self.die(turn)
        },
        { turn in
          try await turn.record(.output("1", "look", "unknown"))
          return try await turn.answer("never")
        }
      )
    ])
    let summary = try await table.say("go", caps: "rounds=1,policy=fail")
    #expect(summary.exit == .cap("rounds"))
    #expect(summary.answer == nil)
  }

  @Test func `What a request had streamed when it was cut off is spent`() async throws {
    let given = Mutex<[RoundAdmission]>([])
    let table = try Table([
      "a": lives(
        { turn in
          let first = try await turn.admission()
          try turn.stream(3)
          // The first request came to nothing, so the worker makes another.
          let second = try await turn.admission(round: 2)
          given.withLock { $0 += [first, second] }
          try turn.stream(20)
          try Self.die(turn)
        },
        { turn in
          let third = try await turn.admission()
          given.withLock { $0.append(third) }
          try turn.stream(30)
          try await turn.record(.call("1", "look"), tokens: 35)
          try await turn.record(.output("1", "look", "seen"))
          let fourth = try await turn.admission(round: 2)
          given.withLock { $0.append(fourth) }
          try await turn.record(.response("hello"), tokens: 1)
          return .answered
        }
      )
    ])
    #expect(try await table.say("go", caps: "tokens=100").answer == "hello")
    let expected = [100, 97, 77, 42].map { RoundAdmission.go(maximumTokens: $0) }
    #expect(given.withLock { $0 } == expected)
  }

  @Test func `What a friend had streamed when it died is missing afterwards`() async throws {
    let left = Mutex<[RoundAdmission]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"), tokens: 10)
        _ = try await turn.phone("friend", "why?", callID: "1")
        try await turn.finishCalls()
        let admission = try await turn.admission(round: 2)
        left.withLock { $0.append(admission) }
        try await turn.record(.response("because"), tokens: 1)
        return .answered
      },
      "friend": serving { turn in
        try await turn.admission()
        try turn.stream(20)
        try Self.die(turn)
      },
    ])
    #expect(try await table.say("go", caps: "tokens=100,rounds=8").answer == "because")
    #expect(left.withLock { $0 } == [.go(maximumTokens: 70)])
  }

  @Test func `A last answer that a death cut off is given again with all of its tokens`()
    async throws
  {
    let given = Mutex<[RoundAdmission]>([])
    let table = try Table([
      "a": serving { turn in
        let admission = try await turn.admission()
        given.withLock { $0.append(admission) }
        guard case .lastAnswer = admission else {
          try await turn.record(.call("1", "look"), tokens: 100)
          try await turn.record(.output("1", "look", "seen"))
          let last = try await turn.admission(round: 2)
          given.withLock { $0.append(last) }
          try turn.stream(20)
          try Self.die(turn)
        }
        try await turn.record(.response("seen it"), tokens: 3)
        return .answered
      }
    ])
    #expect(try await table.say("go", caps: "tokens=100,rounds=8").answer == "seen it")
    let last = RoundAdmission.lastAnswer(
      cap: "tokens",
      maximumTokens: Budget.lastAnswerTokens
    )
    #expect(given.withLock { $0 } == [.go(maximumTokens: 100), last, last])
  }

  @Test func `A request that is lost with its worker counts only after the fourth`() {
    var caps = Caps()
    caps.rounds = 1
    var budget = Budget(caps)
    for _ in 0..<4 { budget.loseRequest(tokens: 0) }
    #expect(budget.rounds == 1)
    budget.loseRequest(tokens: 0)
    #expect(budget.rounds == 0)
    let last = Budget.Admission.admitted(
      .lastAnswer(cap: "rounds", maximumTokens: Budget.lastAnswerTokens)
    )
    #expect(budget.admission == last)
    budget.loseRequest(tokens: 0)
    #expect(budget.admission == .refused(cap: "rounds"))
  }
}
