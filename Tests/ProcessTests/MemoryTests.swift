import Foundation
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Workers that share memory` {
  @Test func `wait while it is short, and report that`() async throws {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: MemoryQueue(gauge: machine)) { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      machine.set(free: 0)
      let configuration = try stage.configuration("title")
      let worker = try await stage.roster.launch(configuration, log: stage.folder + "/waiting.log")
      {
        wait in
        #expect(wait.run == configuration.run)
        #expect(wait.place == 1)
        #expect(wait.needed < 50_000_000, "it is forked")
        #expect(stage.roster.memoryWaits.map(\.run) == [configuration.run])
        machine.set(free: nil)
      }
      let answer = try await WarmWorker(worker).ask("A project about a kite")
      #expect(answer.tokensCached > 0)
      #expect(stage.roster.memoryWaits.isEmpty)
    }
  }

  @Test func `that can never fit are refused, and others live on`()
    async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: MemoryQueue(gauge: machine)) { stage in
      let before = try await stage.worker("title")
      var configuration = try stage.configuration("coach")
      // A context of about a billion tokens takes more than the machine has.
      configuration.contextSize = 1 << 30
      let shortage = await #expect(throws: MemoryShortage.self) {
        try await stage.worker(configuration)
      }
      #expect(shortage?.isPermanent == true)
      #expect(!(try await before.ask("A project about a boat")).entries.isEmpty)
      // A refusal does not count as a failure of the agent's template.
      configuration.contextSize = nil
      #expect(try await stage.worker(configuration).ask("I finished the boat.").tokensCached > 0)
    }
  }

  @Test func `are started from scratch where a template beside them could never fit`() async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: MemoryQueue(gauge: machine)) { stage in
      _ = try await stage.worker("title")
      let templates = await stage.roster.standbys().map(\.run)
      var configuration = try stage.configuration("title")
      configuration.contextSize = 1024
      machine.set(total: 0)
      let shortage = try #require(
        await #expect(throws: MemoryShortage.self) { try await stage.worker(configuration) }
      )
      // Adds a little to the headroom.
      machine.set(total: shortage.needed + 65_000_000)
      let worker = try await stage.worker(configuration)
      #expect(!(try await worker.ask("A project about a boat")).entries.isEmpty)
      #expect(await stage.roster.standbys().map(\.run) == templates)
    }
  }

  @Test func `end unused templates for others, and only those`()
    async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: MemoryQueue(gauge: machine)) { stage in
      var configuration = try stage.configuration("title")
      let used = try await stage.worker(configuration)
      configuration.contextSize = 512
      await stage.roster.prepare(configuration)
      #expect(await stage.roster.standbys().count == 5)
      let kept = Set(await stage.roster.standbys().map(\.run))
        .subtracting(await stage.templates(of: 512).map(\.run))
      machine.set(free: 0)
      let waiting = try stage.configuration("title")
      let worker = try await stage.roster.launch(waiting, log: "/dev/null") { _ in
        machine.set(free: nil)
      }
      #expect(Set(await stage.roster.standbys().map(\.run)) == kept)
      #expect(!(try await used.ask("A project about a boat")).entries.isEmpty)
      #expect(!(try await WarmWorker(worker).ask("A project about a fox")).entries.isEmpty)
    }
  }

  @Test func `get no agent's template where its model's does not fit`() async throws {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: MemoryQueue(gauge: machine)) { stage in
      // Enough for what an agent's template adds to its model's, but not for a model.
      machine.set(free: 100_000_000)
      await stage.roster.prepare(try stage.configuration("title"))
      #expect(await stage.roster.standbys().map(\.name) == ["template-program"])
      machine.set(free: nil)
      await stage.roster.prepare(try stage.configuration("title"))
      #expect(await stage.roster.standbys().count == 3)
    }
  }

  @Test func `release it however they end`() async throws {
    let memory = MemoryQueue(gauge: PlayedMachine())
    try await WarmStage.set(memory: memory) { stage in
      for isKilled in [false, true] {
        let worker = try await stage.worker("title")
        _ = try await worker.ask("A project about a boat")
        let run = worker.worker.run
        #expect(memory.reserving.contains(run))
        if isKilled { kill(worker.worker.pid, SIGKILL) }
        await worker.worker.end(by: .retire)
        #expect(!memory.reserving.contains(run))
      }
    }
  }
}

extension WarmStage {
  fileprivate func templates(of contextSize: Int) async -> [Standby] {
    await roster.standbys().sorted { $0.launched < $1.launched }.suffix(2)
  }
}
