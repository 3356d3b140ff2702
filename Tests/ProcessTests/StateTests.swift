import Coordination
import Foundation
import Journal
import Testing

/// What agents write to their sessions, with real workers.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `What agents share` {
  /// Sets up a stage on which the keeper begins and can exchange the baton with the courier.
  private func share(_ body: (Stage) async throws -> Void) async throws {
    try await Stage.set { stage in
      stage.cast.give("puppet", stage.troupe.plugin("keeper"))
      stage.cast.give("courier", stage.troupe.plugin("courier"))
      try await body(stage)
    }
  }

  @Test func `travels with the baton, also through an agent that knows nothing of it`()
    async throws
  {
    try await share { stage in
      _ = try await stage.ask("set boats")
      #expect(try await stage.ask("pass").answer == "courier has it")
      #expect(try await stage.ask("hello").answer == "0 sealed")
      #expect(try await stage.ask("back").answer == "boats, 1 set")
    }
  }

  @Test func `is also the history: what an agent cuts away is gone for all, and for good`()
    async throws
  {
    try await share { stage in
      _ = try await stage.ask("set boats")
      _ = try await stage.ask("set kites")
      #expect(try await stage.ask("recite").answer == "set boats | set kites | recite")
      // The hook keeps only this prompt.
      #expect(try await stage.ask("forget").answer == "forget")
      #expect(try await stage.ask("recite").answer == "forget | recite")
      #expect(try await stage.ask("pass").answer == "courier has it")
      let courier = try #require(stage.traffic.lines(of: "courier").first)
      #expect(courier.text.contains("forget"))
      #expect(!courier.text.contains("set boats"))
      try await stage.killWorkers()
      #expect(try await stage.ask("back").answer == "kites, 2 set")
      #expect(try await stage.ask("recite").answer == "forget | recite | pass | back | recite")
    }
  }
}
