import AgentKit
import Coordination
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A program that a confined tool starts` {
  @Test func `goes with its worker, whatever group it wants`() async throws {
    try await Stage.set(isConfined: true, permissions: [.running("/bin/sleep")]) { stage in
      let answer = try await stage.ask("do part").answer
      let started = try #require(answer.flatMap { Int32($0) })
      let worker = try #require(stage.traffic.lines(of: "puppet").first?.pid)
      #expect(Stranger.isRunning(started))
      #expect(getpgid(started) == getpgid(worker))
      _ = try await stage.ask("do kill")
      #expect(await Stranger.hasGone(started))
    }
  }

  @Test func `is waited for by Foundation's Process, as is the next`() async throws {
    let permissions: [Permission] = [.running("/bin/echo"), .network]
    try await Stage.set(isConfined: true, permissions: permissions) { stage in
      let turn = try await stage.ask("do echo")
      #expect(turn.answer == "one 0, two 0")
    }
  }
}
