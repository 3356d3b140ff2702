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

  @Test func `has no more journaled than its turn could come to`() async throws {
    try await Stage.set { stage in
      try stage.replace("puppet", by: FakeWorker.writer)
      let turn = try await stage.ask("say anything", rounds: 1, tokens: 64)
      guard case .failed(let problem) = turn.exit else {
        Issue.record("the turn ended with \(turn.exit)")
        return
      }
      let reason = "more than 448 entries for the journal in one turn"
      #expect(
        problem.contains("The worker of 'puppet' died: it broke the protocol with \(reason)")
      )
      let line = try #require(stage.traffic.lines.first)
      #expect(await Stranger.hasGone(line.pid))
      await stage.traffic.reach { $0[0].death != nil }
      guard case .breach(let words)? = stage.traffic.lines[0].death?.cause else {
        Issue.record("it ended otherwise: \(stage.traffic.lines[0])")
        return
      }
      #expect(words.hasPrefix(reason))
      // Its entries are reverted with the turn, and no other worker was started in its place.
      #expect(stage.traffic.lines.count == 1)
      stage.restore("puppet")
      #expect(try await stage.ask("say after").answer == "after")
    }
  }

  @Test func `as a friend is an answer to its parent`() async throws {
    try await Stage.set { stage in
      try stage.replace("friend", by: "echo no friend of yours >&2; exit 1")
      let turn = try await stage.ask("phone say anything")
      #expect(turn.exit == .answered)
      #expect(turn.answer?.contains("friend could not answer") == true)
      #expect(turn.answer?.contains("no friend of yours") == true)
    }
  }

  @Test func `that cannot be started at all ends the turn with that`() async throws {
    try await Stage.set { stage in
      // The launcher's file does not exist.
      stage.cast.give("puppet", "none", launcher: "fake")
      guard case .failed(let problem) = try await stage.ask("say anything").exit else {
        Issue.record("the turn did not fail")
        return
      }
      #expect(problem.contains("No such file or directory"))
      stage.restore("puppet")
      #expect(try await stage.ask("say after").answer == "after")
    }
  }
}
