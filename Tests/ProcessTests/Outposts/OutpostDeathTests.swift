import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(5))) struct `An outpost` {
  /// Short, so that a test need not wait for the real ones; each is many heartbeats.
  private static let timeouts = OutpostTimeouts(
    heartbeat: .milliseconds(500),
    suspect: .seconds(2),
    lost: .seconds(4),
    lease: .seconds(7),
    margin: .seconds(1)
  )

  /// A launcher that stays in between and writes down its group, like one that leads elsewhere.
  private static func relayed(_ worker: String, _ folder: String) -> [String] {
    ["sh", "-c", "echo $$ > '\(folder)/launcher'; cat | '\(worker)' --outpost | cat"]
  }

  /// Sets up a stage whose launcher can be stopped and killed.
  private func set(
    _ body: (OutpostStage, _ launcher: Int32) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await OutpostStage.set(
      launch: { Self.relayed($0, folder) },
      timeouts: Self.timeouts
    ) { stage in
      try await stage.outpost.start()
      let text = try String(contentsOfFile: folder + "/launcher", encoding: .utf8)
      let launcher = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      defer { kill(-launcher, SIGKILL) }
      try await body(stage, launcher)
    }
  }

  /// Stops those in between, and not the outpost: the pipes stay open, and nothing passes.
  private func cutOff(_ launcher: Int32) {
    let between = Stranger.members(of: [launcher]).filter { pid in
      Stranger.arguments(of: pid)?.first == "cat"
    }
    #expect(between.count == 2)
    for pid in between { kill(pid, SIGSTOP) }
  }

  /// Waits for the end of a worker.
  private func death(of worker: OutpostWorker) async -> Death? {
    for await case .ended(let death) in worker.events { return death }
    return nil
  }

  @Test func `whose launcher is killed ends, its workers and its folder with it`() async throws {
    try await set { stage, launcher in
      let worker = try await stage.worker("title")
      let machine = try #require(await stage.outpost.status.machine)
      let folder = "\(stage.folder)/orchestrator-outposts-\(getuid())"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
      kill(launcher, SIGKILL)
      #expect(await death(of: worker)?.cause == .lost(host: "there"))
      for pid in [machine.pid, worker.pid] { #expect(await Stranger.hasGone(pid)) }
      try await eventually("its folder is removed") {
        try FileManager.default.contentsOfDirectory(atPath: folder) == ["models"]
      }
      // Off where its farewell still came through.
      try await eventually("its end is noticed") {
        [.lost, .off].contains(stage.states.all.last)
      }
      // The next launch starts another.
      _ = try await stage.ask("title", "A project about a boat")
    }
  }

  @Test func `that is cut off is suspect, then lost, and ends by itself within its lease`()
    async throws
  {
    try await set { stage, launcher in
      let worker = try await stage.worker("title")
      let machine = try #require(await stage.outpost.status.machine)
      let start = ContinuousClock.now
      cutOff(launcher)
      #expect(await death(of: worker)?.cause == .lost(host: "there"))
      let lost = ContinuousClock.now - start
      for pid in [machine.pid, worker.pid] { #expect(await Stranger.hasGone(pid)) }
      let gone = ContinuousClock.now - start
      #expect(lost > .seconds(3))
      #expect(gone < .seconds(11))
      #expect(stage.states.all.suffix(2) == [.suspect, .lost])
    }
  }

  @Test func `that was lost may have run tools until its lease is over`() async throws {
    try await set { stage, launcher in
      let (idle, acting) = (try await stage.worker("title"), try await stage.worker("title"))
      for await event in acting.events {
        if case .message(.ready) = event { break }
      }
      // Until it asks to make a request, which it does not while it is stopped.
      kill(acting.pid, SIGSTOP)
      try acting.send(.turn(try Turns.prompt("A project about a boat")))
      cutOff(launcher)
      #expect(await death(of: idle)?.cause == .lost(host: "there"))
      let first = ContinuousClock.now
      #expect(await death(of: acting)?.cause == .lost(host: "there"))
      // Lost after 4 s, and the lease and its margin are over after 8 s.
      #expect(ContinuousClock.now - first > .seconds(2))
    }
  }

  @Test func `reports the death of a worker as a coordinator would at home`() async throws {
    try await OutpostStage.set { stage in
      let worker = try await stage.worker("title")
      for await event in worker.events {
        if case .message(.ready) = event { break }
      }
      kill(worker.pid, SIGSEGV)
      let death = try #require(await death(of: worker))
      #expect(death.cause == .signaled(SIGSEGV))
      #expect(death.lastLines.contains { $0.contains("is ready") })
      // The log is kept here.
      let log = try String(contentsOfFile: worker.log, encoding: .utf8)
      #expect(log.contains("\(worker.run) is ready"))
      #expect(worker.log.hasPrefix(stage.folder))
      _ = try await stage.ask("title", "A project about a boat")
    }
  }

  @Test func `removes what a killed one has left`() async throws {
    try await OutpostStage.set { stage in
      _ = try await stage.worker("title")
      let machine = try #require(await stage.outpost.status.machine)
      let folder = "\(stage.folder)/orchestrator-outposts-\(getuid())"
      let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
      kill(machine.pid, SIGKILL)
      try await eventually("its loss is noticed") { await stage.outpost.status.state == .lost }
      _ = try await stage.ask("title", "A project about a boat")
      let after = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
      #expect(after.count == before.count)
      #expect(after.intersection(before) == ["models"])
    }
  }

  @Test func `drained takes no further worker, and ends with its last`() async throws {
    try await OutpostStage.set(timeouts: Self.timeouts) { stage in
      let worker = try await stage.worker("title")
      await stage.outpost.drain()
      await #expect(throws: OutpostError.unavailable(host: "there", .draining)) {
        try await stage.worker("title")
      }
      #expect(!worker.hasEnded)
      await worker.end(by: .retire)
      try await eventually("it is given back") { await stage.outpost.status.state == .off }
      #expect(stage.states.all == [.starting, .up, .draining, .off])
    }
  }
}
