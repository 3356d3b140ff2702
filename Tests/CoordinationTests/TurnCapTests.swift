import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct TurnCapTests {
  /// Calls tools in every admitted round, like a model that never finishes.
  private static func looping(calls: Int = 1, tokens: Int = 1) -> Script {
    serving { turn in
      for round in 1... {
        if case .lastAnswer = try await turn.admission(round: round) {
          try await turn.record(.response("so far"), tokens: tokens)
          return .answered
        }
        let ids = (0..<calls).map { "\(round)-\($0)" }
        let admitted = try await turn.record(.calls(ids, "look"), tokens: tokens)
        for id in ids.prefix(admitted) { try await turn.record(.output(id, "look", "nothing")) }
        for id in ids.dropFirst(admitted) { try await turn.record(.output(id, "look", "no more")) }
      }
      return .answered
    }
  }

  @Test func `At the cap on rounds there is one last answer, and the exit says so`() async throws {
    let table = try Table(["a": Self.looping()])
    let summary = try await table.say("go", caps: "rounds=3")
    #expect(summary.exit == .cap("rounds"))
    #expect(summary.answer == "so far")
    let worker = try #require(table.workers.launched.first)
    #expect(worker.asked[.admission] == 4)
    #expect(try await table.words().last == "response: so far")
  }

  @Test func `What hooks use after a whole answer spends the cap, and does not cut the answer`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        let ending = try await turn.answer("done", tokens: 3)
        var usage = RequestUsage()
        usage.tokensOut = 50
        try await turn.write(usage: usage)
        return ending
      }
    ])
    let summary = try await table.say("go", caps: "tokens=20")
    #expect(summary.exit == .answered)
    #expect(summary.usage.tokensOut == 53)
  }

  @Test func `With the policy to fail the turn is taken back`() async throws {
    let table = try Table(["a": Self.looping()])
    let summary = try await table.say("go", caps: "rounds=2,policy=fail")
    #expect(summary.exit == .cap("rounds"))
    #expect(summary.answer == nil)
    #expect(try await table.words().isEmpty)
  }

  @Test func `Calls beyond the cap are not made`() async throws {
    let table = try Table(["a": Self.looping(calls: 3)])
    let summary = try await table.say("go", caps: "calls=4")
    #expect(summary.exit == .cap("calls"))
    let admitted = table.workers.launched.first?.heard.compactMap { message -> Int? in
      if case .reply(_, .recorded(let calls, _)) = message, calls.count > 0 {
        calls.count
      } else {
        nil
      }
    }
    #expect(admitted == [3, 1])
    #expect(try await table.words().filter { $0 == "output: no more" }.count == 2)
  }

  @Test func `At the cap on tokens the turn ends, and its usage show it`() async throws {
    let table = try Table(["a": Self.looping(tokens: 40)])
    let summary = try await table.say("go", caps: "tokens=100")
    #expect(summary.exit == .cap("tokens"))
    #expect(summary.usage.tokensOut == 160)
    #expect(summary.usage.tokensCached == 4)
  }

  @Test func `An answer that the cap on tokens cut short says so`() async throws {
    let table = try Table(["a": serving { try await $0.answer("once upon a", tokens: 10) }])
    #expect(try await table.say("go", caps: "tokens=10").exit == .cap("tokens"))
    #expect(try await table.say("go", caps: "tokens=11").exit == .answered)
  }

  @Test func `What the sessions of a tool take is missing afterwards`() async throws {
    let left = Mutex<[RoundAdmission]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"), tokens: 10)
        try await turn.record(.output("1", "ask", "because"), tokens: 20)
        let admission = try await turn.admission()
        left.withLock { $0.append(admission) }
        try await turn.record(.response("because"), tokens: 1)
        return .answered
      }
    ])
    let summary = try await table.say("go", caps: "tokens=100")
    #expect(left.withLock { $0 } == [.go(maximumTokens: 70)])
    #expect(summary.usage.tokensOut == 31)
    #expect(try await JournalReader(table.journal).runs().map(\.tokensOut) == [31])
  }

  @Test func `A loop that brings nothing new is told so once, and then ended`() async throws {
    let table = try Table(["a": Self.looping()])
    let summary = try await table.say("go", caps: "repeats=2")
    #expect(summary.exit == .cap("repeats"))
    #expect(summary.answer == "so far")
    let worker = try #require(table.workers.launched.first)
    // The call is made twice; the next one earns a warning, and the one after that ends the turn.
    #expect(worker.repeated.filter { !$0.isEmpty } == [[0], [0]])
    #expect(worker.asked[.admission] == 5)
  }

  @Test func `A baton that only goes back and forth is kept, and the turn ends`() async throws {
    let passing: @Sendable (String) -> Script = { receiver in
      serving { turn in
        for round in 1... {
          let id = "\(turn.worker.run)-\(round)-\(turn.worker.entries.count)"
          if case .lastAnswer = try await turn.admission(round: round) { break }
          try await turn.record(.call(id, "pass_baton"), tokens: 1)
          guard turn.worker.repeated.last == [] else {
            try await turn.record(.output(id, "pass_baton", "not again"))
            continue
          }
          let holder = try await turn.passBaton(to: receiver, callID: id)
          try await turn.record(.output(id, "pass_baton", "now with \(holder)"))
          if holder == receiver { return .passed }
        }
        try await turn.record(.response("I keep it."), tokens: 1)
        return .answered
      }
    }
    let table = try Table(["a": passing("b"), "b": passing("a")])
    let summary = try await table.say("go", caps: "rounds=100,calls=100")
    #expect(summary.exit == .cap("repeats"))
    #expect(summary.answer == "I keep it.")
    #expect(try await JournalReader(table.journal).batons(of: summary.turn).count == 6)
  }

  @Test func `A refusal of the model is an exit of its own`() async throws {
    let table = try Table([
      "a": serving { _ in .refused(reason: "Not that.", keepsEntries: false) }
    ])
    #expect(try await table.say("go").exit == .refused("Not that."))
    #expect(try await table.words().isEmpty)
  }

  @Test func `Other exits are told as the worker tells them`() async throws {
    for (ending, exit) in [
      (TurnEnding.modeChanged, TurnExit.modeChanged), (.finalAnswer, .finalAnswer),
      (.failed(problem: "no", keepsEntries: true), .failed("no")),
    ] {
      let table = try Table([
        "a": serving { turn in
          _ = try await turn.answer("hello")
          return ending
        }
      ])
      #expect(try await table.say("go").exit == exit)
      // All of these endings keep the conversation.
      #expect(try await table.words() == ["prompt: go", "response: hello"])
    }
  }
}
