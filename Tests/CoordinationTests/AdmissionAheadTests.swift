import AgentKit
import Testing
import Wire

@testable import Coordination

/// Requests that are admitted before the worker asks.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionAheadTests {
  /// Calls a tool in every round that is admitted, without ever asking for admission.
  private static let looping = serving { turn in
    var ahead = turn.order.admission
    for round in 1... {
      guard case .admitted(let admission) = ahead else { break }
      try turn.takeAdmission()
      if case .lastAnswer = admission {
        try await turn.record(.response("so far"), tokens: 1)
        return .answered
      }
      try await turn.record(.call("\(round)", "look"), tokens: 1)
      guard case .recorded(_, _, _, _, let next) = turn.worker.heard.last else { break }
      ahead = next
      try await turn.record(.output("\(round)", "look", "nothing"))
    }
    guard case .refused(let cap) = ahead else { throw BadOrder() }
    return .cap(cap)
  }

  @Test func `They are counted, and the last of them is the last answer`() async throws {
    let table = try Table(["a": Self.looping])
    let summary = try await table.say("go", caps: "rounds=3")
    #expect(summary.exit == .cap("rounds"))
    #expect(summary.answer == "so far")
    #expect(try await table.words().filter { $0 == "calls: look" }.count == 3)
    #expect(table.workers.launched.first?.asked[.admission] == nil)
  }

  @Test func `They are refused at the cap where the policy is to fail`() async throws {
    let table = try Table(["a": Self.looping])
    let summary = try await table.say("go", caps: "rounds=2,policy=fail")
    #expect(summary.exit == .cap("rounds"))
    #expect(summary.answer == nil)
  }

  /// Expects the turn to fail because of a request without admission, and the worker to be retired.
  private func expectGivenUp(_ agents: KeyValuePairs<String, Script>) async throws {
    let table = try Table(agents)
    guard case .failed(let problem) = try await table.say("go").exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(problem == "The worker of 'a' sent a request to its model without being admitted.")
    await eventually { table.workers.of("a").map(\.wasRetired) == [true] }
  }

  @Test func `Who makes two of one has lost its way`() async throws {
    try await expectGivenUp([
      "a": serving { turn in
        try turn.takeAdmission()
        try turn.takeAdmission()
        return try await turn.answer("hello")
      }
    ])
  }

  @Test func `What was said of them holds no more when a tool has used tokens`() async throws {
    try await expectGivenUp([
      "a": serving { turn in
        try turn.takeAdmission()
        try await turn.record(.call("1", "ask"), tokens: 1)
        try await turn.record(.output("1", "ask", "The Boat"), tokens: 20)
        try turn.takeAdmission()
        return try await turn.answer("The Boat")
      }
    ])
  }

  @Test func `Nothing is said of them while a friend is on the phone`() async throws {
    let phoned = Signal()
    let table = try Table([
      "a": lives(
        { turn in
          #expect(turn.order.admission != nil)
          try turn.takeAdmission()
          try await turn.record(.call("1", "ask"), tokens: 1)
          Task { _ = try await turn.phone("title", "a boat", callID: "1") }
          await phoned.wait()
          turn.worker.end(.signaled(11))
          throw WorkerGone()
        },
        { turn in
          #expect(turn.order.admission == nil)
          try await turn.admission()
          try await turn.record(.output("1", "ask", "unknown"))
          return try await turn.answer("I do not know.")
        }
      ),
      "title": serving { turn in
        phoned.fire()
        try await turn.worker.hang()
      },
    ])
    #expect(try await table.say("go").answer == "I do not know.")
  }

  @Test func `What was said of them holds no more when a friend is phoned`() async throws {
    try await expectGivenUp([
      "a": serving { turn in
        try turn.takeAdmission()
        try await turn.record(.call("1", "ask"), tokens: 1)
        _ = try await turn.phone("title", "a boat", callID: "1")
        try await turn.record(.output("1", "ask", "The Boat"))
        try turn.takeAdmission()
        return try await turn.answer("The Boat")
      },
      // It uses no tokens, so the remaining budget is unchanged.
      "title": serving { turn in
        try await turn.record(.response("The Boat"))
        return .answered
      },
    ])
  }

  @Test func `What was said of them holds no more when a summary is asked for`() async throws {
    try await expectGivenUp([
      "a": serving { turn in
        _ = try await turn.admissionOfSummary()
        try turn.takeAdmission()
        return try await turn.answer("hello")
      }
    ])
  }
}
