import AgentKit
import Coordination
import Foundation
import Journal
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker whose tool uses everything up` {
  private static let descriptors = Exhaustion(.descriptors, bound: 256, tools: ["act"])

  /// The run of the first worker, once its end is journaled.
  private static func firstRun(of stage: Stage) async throws -> RunRecord {
    let reader = JournalReader(stage.journal)
    try await eventually("the end of the first worker is known") {
      try await reader.runs().first?.outcome != nil
    }
    return try #require(try await reader.runs().first)
  }

  @Test func `is named and replaced when its turn is over`() async throws {
    try await Stage.set(isConfined: true) { stage in
      #expect(try await stage.ask("do leak").answer == "leaked")
      let run = try await Self.firstRun(of: stage)
      #expect(run.cause == "exhausted")
      #expect(run.outcome == Self.descriptors.description)
      #expect(try await stage.ask("say after").answer == "after")
      #expect(stage.traffic.lines(of: "puppet").count == 2)
    }
  }

  @Test func `and then fails is replaced at once, and the turn goes on`() async throws {
    try await Stage.set(isConfined: true) { stage in
      let turn = try await stage.ask("do leakAndFail")
      #expect(turn.exit == .answered, "\(turn)")
      let reader = JournalReader(stage.journal)
      let record = try #require(try await reader.conversation(named: "test"))
      #expect(try await reader.deaths(of: record.id).map(\.cause) == [Self.descriptors.description])
    }
  }

  @Test(.disabled(if: Sanitizer.isThere, "its reserve counts, and is always near the bound"))
  func `is replaced when it is memory`() async throws {
    try await Stage.set(isConfined: true) { stage in
      #expect(try await stage.ask("do crowd").answer == "crowded")
      let run = try await Self.firstRun(of: stage)
      #expect(run.cause == "exhausted")
      #expect(run.outcome?.contains("MB of memory") == true)
      #expect(try await stage.ask("say after").answer == "after")
    }
  }

  @Test func `is kept while there is enough left`() async throws {
    try await Stage.set(isConfined: true) { stage in
      for _ in 0..<3 {
        let turn = try await stage.ask("do nothing")
        #expect(turn.exit == .answered)
      }
      #expect(stage.traffic.lines(of: "puppet").count == 1)
    }
  }
}
