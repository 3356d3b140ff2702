import AgentKit
import Coordination
import Foundation
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A program that is not a worker` {
  @Test(arguments: FakeWorker.all)
  func `ends its turn with a reason, and the session goes on`(fake: FakeWorker) async throws {
    try await Stage.set(restarts: .never) { stage in
      try stage.replace("puppet", by: fake.script)
      let turn = try await stage.ask("say anything")
      guard case .failed(let problem) = turn.exit else {
        Issue.record("the turn ended with \(turn.exit)")
        return
      }
      let line = try #require(stage.traffic.lines.first)
      let cause = try #require(line.death?.cause)
      #expect(fake.isExpected(cause), "it ended because \(cause)")
      #expect(problem.hasPrefix("The worker of 'puppet' died: "))
      #expect(await Stranger.hasGone(line.pid))
      stage.restore("puppet")
      #expect(try await stage.ask("say after").answer == "after")
    }
  }
}
