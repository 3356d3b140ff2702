import AgentKit
import Coordination
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker that hangs` {
  @Test func `in a tool is ended by the cap on seconds, though its heartbeat is answered`()
    async throws
  {
    try await Stage.set { stage in
      // Its process must exist before the seconds are counted.
      #expect(try await stage.ask("say before").answer == "before")
      let turn = try await stage.ask("do block", seconds: 3)
      #expect(turn.exit == .cap("seconds"))
      let worker = try #require(stage.traffic.lines.first)
      // Its silence was never taken for a hang, because it kept answering pings.
      #expect(worker.heard.contains { if case .message(.pong) = $0 { true } else { false } })
      #expect(await Stranger.hasGone(worker.pid))
      #expect(try await stage.ask("say after").answer == "after")
    }
  }

  @Test func `in its model is stopped by the cap on seconds and keeps its process`() async throws {
    try await Stage.set(stopPatience: .seconds(30)) { stage in
      #expect(try await stage.ask("say before").answer == "before")
      let turn = try await stage.ask("silence", seconds: 1)
      #expect(turn.exit == .cap("seconds"))
      #expect(try await stage.ask("say after").answer == "after")
      #expect(stage.traffic.lines.count == 1)
    }
  }

  @Test func `as a whole is killed when it has not answered for so long`() async throws {
    let timeouts = Roster.Timeouts(
      load: .seconds(40),
      silence: .seconds(2),
      heartbeat: .milliseconds(100)
    )
    try await Stage.set(timeouts: timeouts) { stage in
      let turn = try await stage.ask("do stop")
      #expect(turn.exit == .answered)
      #expect(turn.answer?.contains(#""status": "unknown""#) == true)
      #expect(stage.traffic.lines.first?.death?.cause == .hung(seconds: 2))
      #expect(try await stage.ask("say after").answer == "after")
    }
  }

  @Test func `while it loads is killed when its time is over`() async throws {
    let timeouts = Roster.Timeouts(
      load: .seconds(2),
      silence: .seconds(20),
      heartbeat: .milliseconds(100)
    )
    try await Stage.set(timeouts: timeouts, restarts: .never) { stage in
      stage.cast.give("puppet", stage.troupe.plugin("sleeper"))
      guard case .failed = try await stage.ask("say anything").exit else {
        Issue.record("the turn did not fail")
        return
      }
      #expect(stage.traffic.lines.first?.death?.cause == .notReady(seconds: 2))
    }
  }

  @Test func `as a friend is ended early enough for its caller to answer`() async throws {
    try await Stage.set { stage in
      #expect(try await stage.ask("say before").answer == "before")
      let turn = try await stage.ask("phone do block;silence", seconds: 10)
      #expect(turn.exit == .answered)
      let friends = stage.traffic.lines(of: "friend")
      #expect(friends.count == 2)
      for friend in friends { #expect(await Stranger.hasGone(friend.pid)) }
    }
  }
}

@Suite(.timeLimit(.minutes(5)), .serialized) struct `Cancelling a turn` {
  @Test func `stops the model and keeps the worker`() async throws {
    try await Stage.set(stopPatience: .seconds(30)) { stage in
      async let turn = stage.ask("silence")
      await stage.traffic.reach { $0.contains(where: \.hasAskedModel) }
      try await stage.cancel()
      #expect(try await turn.exit == .cancelled)
      #expect(try await stage.ask("say after").answer == "after")
      #expect(stage.traffic.lines.count == 1)
    }
  }

  @Test func `ends the friends that are thinking`() async throws {
    try await Stage.set { stage in
      async let turn = stage.ask("phone silence;silence")
      await stage.traffic.reach { lines in
        lines.count { $0.agent == "friend" && $0.hasAskedModel } == 2
      }
      try await stage.cancel()
      #expect(try await turn.exit == .cancelled)
      for friend in stage.traffic.lines(of: "friend") {
        #expect(await Stranger.hasGone(friend.pid))
      }
    }
  }

  @Test(arguments: 0..<4) func `ends friends at any moment of their lives`(moment: Int) async throws
  {
    try await Stage.set { stage in
      async let turn = stage.ask("phone silence;silence;silence")
      // Covers the time from the call through launch and greeting until the friend is ready.
      await stage.traffic.reach { lines in
        let friends = lines.filter { $0.agent == "friend" }
        guard moment > 0 else {
          return lines.contains { $0.heard.contains(where: \.isCall) }
        }
        return friends.contains { $0.heard.count >= moment - 1 }
      }
      try await stage.cancel()
      #expect(try await turn.exit == .cancelled)
      for friend in stage.traffic.lines(of: "friend") {
        #expect(await Stranger.hasGone(friend.pid))
      }
      #expect(try await stage.ask("say after").answer == "after")
    }
  }
}

extension WorkerEvent {
  fileprivate var isCall: Bool {
    if case .message(.request(_, _, .hostTool(_, .phone))) = self { true } else { false }
  }
}
