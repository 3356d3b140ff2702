import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

/// The last output of a round is recorded together with the question whether the model may be asked
/// again.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionWithRecordTests {
  /// Plays a turn with one call, and returns what came with the reply to its output.
  private static func admission(
    caps: String,
    _ rest: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
  ) async throws -> (AdmissionAnswer?, TurnSummary, [Fact.Event]) {
    let given = Mutex<AdmissionAnswer?>(nil)
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "look"), tokens: 10)
        let answer = try await turn.recordThenRound(.output("1", "look", "seen"))
        given.withLock { $0 = answer }
        return try await rest(turn)
      }
    ])
    let summary = try await table.say("go", caps: caps)
    let reader = try #require(try JournalReader(path: table.path))
    let facts = try await reader.facts(of: 1, turn: summary.turn)
    return (given.withLock { $0 }, summary, facts.map(\.event))
  }

  private static func abandoned(_ events: [Fact.Event]) -> Int {
    events.count { if case .abandonedRequest = $0 { true } else { false } }
  }

  @Test func `A round that is asked for with a record is admitted by its reply`() async throws {
    let (given, summary, events) = try await Self.admission(caps: "tokens=100,rounds=2") { turn in
      try await turn.record(.response("done"), tokens: 1)
      return .answered
    }
    #expect(given == .admitted(.go(maximumTokens: 90)))
    #expect(summary.exit == .answered)
    #expect(Self.abandoned(events) == 0)
  }

  @Test func `At a cap the reply gives the last answer, or refuses it`() async throws {
    let last = try await Self.admission(caps: "rounds=1") { turn in
      try await turn.record(.response("so far"), tokens: 1)
      return .answered
    }
    guard case .admitted(.lastAnswer("rounds", _)) = last.0 else {
      Issue.record("\(String(describing: last.0))")
      return
    }
    #expect(last.1.exit == .cap("rounds"))
    let refused = try await Self.admission(caps: "rounds=1,policy=fail") { _ in .cap("rounds") }
    #expect(refused.0 == .refused(cap: "rounds"))
    #expect(refused.1.exit == .cap("rounds"))
  }

  @Test func `An admission that is given back was no request`() async throws {
    let (_, _, kept) = try await Self.admission(caps: "rounds=5") { _ in
      .failed(problem: "no model", keepsEntries: true)
    }
    #expect(Self.abandoned(kept) == 1, "it may have been made")
    let (_, _, returned) = try await Self.admission(caps: "rounds=5") { turn in
      try turn.returnAdmission()
      return .failed(problem: "a hook threw", keepsEntries: true)
    }
    #expect(Self.abandoned(returned) == 0)
    let (_, summary, again) = try await Self.admission(caps: "rounds=2") { turn in
      try turn.returnAdmission()
      try await turn.write(["topic": "\"cranes\""])
      return try await turn.answer("done")
    }
    #expect(summary.exit == .answered, "the second round is still there")
    #expect(Self.abandoned(again) == 0)
  }

  @Test func `What has shown text cannot be given back`() async throws {
    let (_, _, events) = try await Self.admission(caps: "rounds=5") { turn in
      try turn.stream(3)
      try turn.returnAdmission()
      return .failed(problem: "cut off", keepsEntries: true)
    }
    #expect(Self.abandoned(events) == 1)
  }
}
