import AgentKit
import Coordination
import Foundation
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker that dies` {
  struct Way: Sendable, CustomTestStringConvertible {
    let act: String
    let cause: Death.Cause

    var testDescription: String { act }
  }

  static let ways = [
    Way(act: "abort", cause: .signaled(SIGABRT)), Way(act: "exit", cause: .exited(code: 3)),
    Way(act: "kill", cause: .signaled(SIGKILL)), Way(act: "trap", cause: .signaled(SIGILL)),
  ]

  @Test(arguments: ways) func `is replaced, and the turn goes on`(way: Way) async throws {
    try await Stage.set { stage in
      _ = try await stage.ask("say before")
      let turn = try await stage.ask("do \(way.act)")
      #expect(turn.exit == .answered)
      // The new process was told that the outcome is unknown, and the tool was not run again.
      #expect(turn.answer?.contains(#""status": "unknown""#) == true)
      #expect(stage.traffic.lines(of: "puppet").map(\.death?.cause) == [way.cause, nil])
      let recital = try await stage.ask("recite").answer
      #expect(recital?.contains("say before") == true)
      #expect(stage.traffic.lines(of: "puppet").count == 2)
    }
  }

  @Test func `in the middle of a round leaves what earlier calls of it have returned`() async throws
  {
    try await Stage.set { stage in
      async let turn = stage.ask("do rest;block")
      await stage.traffic.reach { $0.contains { $0.heard.contains(where: \.isOutput) } }
      let worker = try #require(stage.traffic.lines.first)
      kill(worker.pid, SIGKILL)
      let answer = try await turn.answer ?? ""
      // Only the other call has an unknown outcome.
      let notices = answer.components(separatedBy: #""status": "unknown""#).count - 1
      #expect(notices == 1 && answer.hasPrefix("\(worker.pid) + "), "\(answer)")
    }
  }

  @Test func `leaves its last words`() async throws {
    try await Stage.set { stage in
      _ = try await stage.ask("do trap")
      let lines = stage.traffic.lines.first?.death?.lastLines ?? []
      #expect(lines.contains { $0.contains("on purpose") })
    }
  }

  @Test(arguments: ways) func `as a friend is an answer to its parent`(way: Way) async throws {
    try await Stage.set { stage in
      let turn = try await stage.ask("phone do \(way.act);say fine")
      #expect(turn.exit == .answered)
      #expect(turn.answer?.contains("friend could not answer") == true)
      #expect(turn.answer?.hasSuffix(" + fine") == true)
      let causes = stage.traffic.lines(of: "friend").map(\.death?.cause)
      #expect(causes.contains(way.cause))
    }
  }

  @Test func `as a friend's parent takes its friends along`() async throws {
    try await Stage.set(restarts: .never) { stage in
      async let turn = stage.ask("phone silence;do block")
      await stage.traffic.reach { lines in
        lines.count { $0.agent == "friend" && $0.hasAskedModel } == 2
      }
      let parent = try #require(stage.traffic.lines(of: "puppet").first)
      let friends = stage.traffic.lines(of: "friend")
      // Proves that the check works: the friends would live on.
      #expect(friends.allSatisfy { Stranger.isRunning($0.pid) })
      kill(parent.pid, SIGKILL)
      guard case .failed = try await turn.exit else {
        Issue.record("the turn did not fail")
        return
      }
      for friend in friends { #expect(await Stranger.hasGone(friend.pid)) }
      #expect(try await stage.ask("say after").answer == "after")
    }
  }

  @Test func `takes along what it has started`() async throws {
    try await Stage.set { stage in
      let answer = try await stage.ask("do leave").answer
      let left = try #require(answer?.split(separator: " ").last.flatMap { Int32($0) })
      #expect(Stranger.isRunning(left))
      _ = try await stage.ask("do kill")
      #expect(await Stranger.hasGone(left))
    }
  }
}

extension WorkerEvent {
  fileprivate var isOutput: Bool {
    if case .message(let message) = self { message.isOutput } else { false }
  }
}
