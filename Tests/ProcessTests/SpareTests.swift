import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A spare` {
  private static let quick = Roster.Timeouts(
    load: .seconds(40),
    silence: .seconds(2),
    heartbeat: .milliseconds(50)
  )

  @Test func `becomes the next worker, answers as a fork does, and is replaced`()
    async throws
  {
    try await Self.set { stage in
      let fork = try await stage.worker("title").ask("A project about a boat")
      await stage.roster.expect(try stage.configuration("title"))
      for _ in 0..<2 {
        let spare = try await stage.spare("title")
        let worker = try await stage.worker("title")
        #expect(worker.worker.pid == spare.pid)
        #expect(worker.worker.run == spare.run)
        #expect(worker.worker.log == spare.log)
        #expect(try await worker.ask("A project about a boat") == fork)
        await worker.worker.end(by: .retire)
      }
    }
  }

  @Test func `is made only while no process computes`() async throws {
    let cores = TracedCores(1)
    try await Self.set(cores: cores) { stage in
      await stage.roster.prepare(try stage.configuration("title"))
      await cores.take(as: "person")
      await stage.roster.expect(try stage.configuration("title"))
      // If no process computed, the spare would be made at the next heartbeat.
      let before = cores.trace.heartbeats
      await cores.reach { $0.heartbeats >= before + 5 }
      let free = Date()
      cores.giveBack(RunID("person"))
      let spare = try await stage.spare("title")
      #expect(spare.launched >= free)
      #expect(cores.trace.grants.last == spare.run)
      #expect(cores.trace.peak == 1)
    }
  }

  @Test func `that is killed dies alone, and another takes its place`() async throws {
    try await Self.set { stage in
      await stage.roster.expect(try stage.configuration("title"))
      let first = try await stage.spare("title")
      kill(first.pid, SIGKILL)
      try await eventually("its end is noticed") {
        await stage.roster.standbys().allSatisfy { $0.run != first.run }
      }
      #expect(!(try await stage.worker("title").ask("A project about a boat")).entries.isEmpty)
      let second = try await stage.spare("title", besides: first)
      #expect(second.pid != first.pid)
    }
  }

  @Test func `is not given to an agent with other permissions`() async throws {
    try await Self.set { stage in
      await stage.roster.expect(try stage.configuration("title"))
      let spare = try await stage.spare("title")
      var configuration = try stage.configuration("title")
      configuration.confinement = Confinement(
        mode: .required,
        permissions: [.reading("/etc/hostname")]
      )
      let other = try await stage.worker(configuration)
      #expect(other.worker.pid != spare.pid)
      #expect(!(try await other.ask("A project about a boat")).entries.isEmpty)
      #expect(try await stage.worker("title").worker.pid == spare.pid)
    }
  }

  @Test func `is replaced when its agent is recompiled`() async throws {
    try await Self.set { stage in
      var configuration = try stage.configuration("title")
      await stage.roster.expect(configuration)
      let old = try await stage.spare("title")
      let plugin = URL(filePath: try #require(configuration.plugin))
      let compiled = plugin.deletingLastPathComponent().appending(path: "Title-00fedcba98765432.so")
      defer { try? FileManager.default.removeItem(at: compiled) }
      try FileManager.default.copyItem(at: plugin, to: compiled)
      configuration.plugin = compiled.path
      await stage.roster.expect(configuration)
      #expect(await Stranger.hasGone(old.pid))
      let new = try await stage.spare("title", besides: old)
      #expect(try await stage.worker(configuration).worker.pid == new.pid)
    }
  }

  @Test func `ends when its agent is idle, and stays while it is asked`()
    async throws
  {
    var timeouts = Self.quick
    timeouts.idle = .seconds(3)
    try await Self.set(timeouts: timeouts) { stage in
      try await eventually("two agents have spares") {
        for agent in ["coach", "title"] {
          await stage.roster.expect(try stage.configuration(agent))
        }
        return await stage.readySpares().count == 2
      }
      let spares = await stage.readySpares()
      let unused = try #require(spares.first { $0.name == "spare-coach" })
      let used = try #require(spares.first { $0.name == "spare-title" })
      try await eventually("the idle spare is gone") {
        await stage.roster.expect(try stage.configuration("title"))
        return await stage.roster.standbys().allSatisfy { $0.run != unused.run }
      }
      #expect(await Stranger.hasGone(unused.pid))
      #expect(await stage.readySpares().map(\.run) == [used.run])
    }
  }

  @Test func `is ended first when memory is short`() async throws {
    let machine = PlayedMachine()
    try await Self.set(memory: MemoryQueue(gauge: machine)) { stage in
      await stage.roster.expect(try stage.configuration("title"))
      let spare = try await stage.spare("title")
      machine.set(free: 0)
      let configuration = try stage.configuration("coach")
      let log = stage.folder + "/waiting.log"
      let worker = try await stage.roster.launch(configuration, log: log) { _ in
        #expect(kill(spare.pid, 0) != 0, "it has gone before a wait is reported")
        machine.set(free: nil)
      }
      #expect(!(try await WarmWorker(worker).ask("I finished the boat.")).entries.isEmpty)
    }
  }

  private static func set(
    cores: TracedCores? = nil,
    memory: MemoryQueue? = nil,
    timeouts: Roster.Timeouts = Self.quick,
    _ body: (WarmStage) async throws -> Void
  ) async throws {
    try await WarmStage.set(cores: cores, memory: memory, timeouts: timeouts) { stage in
      let watch = Task { await stage.roster.watch() }
      defer { watch.cancel() }
      try await body(stage)
    }
  }
}

extension WarmStage {
  /// The spares that are ready to be taken.
  fileprivate func readySpares() async -> [Standby] {
    await roster.standbys().filter { $0.name.hasPrefix("spare-") && $0.isReady }
  }

  /// Waits for a spare that is ready to be taken.
  fileprivate func spare(_ agent: String, besides other: Standby? = nil) async throws -> Standby {
    while !Task.isCancelled {
      let spare = await roster.standbys().first {
        $0.name == "spare-\(agent)" && $0.isReady && $0.run != other?.run
      }
      if let spare, kill(spare.pid, 0) == 0 { return spare }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw CancellationError()
  }
}
