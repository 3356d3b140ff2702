import AgentKit
import Coordination
import Foundation
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `What agent code prints` {
  @Test func `is in the log and not in the protocol`() async throws {
    try await Stage.set { stage in
      let turn = try await stage.ask("do print")
      // The tool printed a flood and something that looks like a frame, and found nothing to read.
      #expect(turn.exit == .answered)
      #expect(turn.answer == "no input")
      let line = try #require(stage.traffic.lines.first)
      // The log's pipe may lag behind, but the worker's end comes after both.
      kill(line.pid, SIGKILL)
      await stage.traffic.reach { $0.first?.death != nil }
      let log = try Data(contentsOf: URL(filePath: line.log))
      let text = String(decoding: log, as: UTF8.self)
      #expect(text.contains("a puppet is made\n"))
      #expect(text.contains("a stray line\n"))
      #expect(text.ranges(of: "a flood of useless lines\n").count == 20_000)
      #expect(log.range(of: Data([0, 0, 0, 9, 1, 0xFF, 0x0A])) != nil)
    }
  }

  @Test func `is not lost when the worker dies`() async throws {
    try await Stage.set { stage in
      _ = try await stage.ask("do kill")
      let line = try #require(stage.traffic.lines.first)
      #expect(line.death?.lastLines.contains("a puppet is made") == true)
    }
  }

  @Test func `has nowhere to go after it closed its descriptors, and nothing else is touched`()
    async throws
  {
    try await Stage.set { stage in
      let worker = try await stage.ask("do close")
      #expect(worker.answer == stage.traffic.lines.first.map { "\($0.pid)" })
      #expect(try await stage.ask("say after").answer == "after")
      #expect(stage.traffic.lines.count == 1)
    }
  }
}
