import Foundation
import Supervision
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Workers that share memory` {
  @Test func `wait until there is some, and are told of it`() async throws {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: Memory(gauge: machine)) { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      machine.set(free: 0)
      let hello = try stage.hello("title")
      let worker = try await stage.roster.launch(hello, log: stage.folder + "/waiting.log") {
        wait in
        #expect(wait.run == hello.run)
        #expect(wait.place == 1)
        #expect(wait.needed < 50_000_000, "it is forked")
        #expect(stage.roster.memoryWaits.map(\.run) == [hello.run])
        machine.set(free: nil)
      }
      let answer = try await WarmWorker(worker).ask("A project about a kite")
      #expect(answer.tokensCached > 0)
      #expect(stage.roster.memoryWaits.isEmpty)
    }
  }

  @Test func `that can never be started are refused with the figures, and others live on`()
    async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: Memory(gauge: machine)) { stage in
      let before = try await stage.worker("title")
      var hello = try stage.hello("coach")
      // A context of about a billion tokens takes more than the machine has.
      hello.contextSize = 1 << 30
      let shortage = await #expect(throws: MemoryShortage.self) { try await stage.worker(hello) }
      #expect((shortage?.needed ?? 0) > (shortage?.total ?? 0))
      #expect(shortage?.holders.first?.run.description.hasPrefix("template-") == true)
      #expect(!(try await before.ask("A project about a boat")).entries.isEmpty)
      // A refusal does not count as a failure of the agent's template.
      hello.contextSize = nil
      #expect(try await stage.worker(hello).ask("I finished the boat.").tokensCached > 0)
    }
  }

  @Test func `are started from nothing where a template beside them could never fit`() async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: Memory(gauge: machine)) { stage in
      _ = try await stage.worker("title")
      let templates = await stage.roster.standbys().map(\.run)
      var hello = try stage.hello("title")
      hello.contextSize = 1024
      machine.set(total: 0)
      let shortage = try #require(
        await #expect(throws: MemoryShortage.self) { try await stage.worker(hello) }
      )
      // Adds a little of the memory that nobody may use.
      machine.set(total: shortage.needed + 65_000_000)
      let worker = try await stage.worker(hello)
      #expect(!(try await worker.ask("A project about a boat")).entries.isEmpty)
      #expect(await stage.roster.standbys().map(\.run) == templates)
    }
  }

  @Test func `make room for others by ending the templates that nobody uses, and no others`()
    async throws
  {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: Memory(gauge: machine)) { stage in
      var hello = try stage.hello("title")
      let used = try await stage.worker(hello)
      hello.contextSize = 512
      await stage.roster.prepare(hello)
      #expect(await stage.roster.standbys().count == 5)
      let kept = Set(await stage.roster.standbys().map(\.run))
        .subtracting(await stage.templates(of: 512).map(\.run))
      machine.set(free: 0)
      let lives = Task { await stage.roster.lives.ends(2) }
      let waiting = try stage.hello("title")
      let worker = try await stage.roster.launch(waiting, log: "/dev/null") { _ in
        machine.set(free: nil)
      }
      // The agent's template ends before the model's template that it was forked from.
      #expect(await lives.value.map { $0.hasPrefix("template-title") } == [true, false])
      #expect(Set(await stage.roster.standbys().map(\.run)) == kept)
      #expect(!(try await used.ask("A project about a boat")).entries.isEmpty)
      #expect(!(try await WarmWorker(worker).ask("A project about a fox")).entries.isEmpty)
    }
  }

  @Test func `have no agent's template where there is no memory for its model's`() async throws {
    let machine = PlayedMachine()
    try await WarmStage.set(memory: Memory(gauge: machine)) { stage in
      // Enough for what an agent's template adds to its model's, but not for a model.
      machine.set(free: 100_000_000)
      await stage.roster.prepare(try stage.hello("title"))
      #expect(await stage.roster.standbys().map(\.name) == ["template-program"])
      machine.set(free: nil)
      await stage.roster.prepare(try stage.hello("title"))
      #expect(await stage.roster.standbys().count == 3)
    }
  }

  @Test func `give it back when they end, however they end`() async throws {
    let machine = PlayedMachine()
    let memory = Memory(gauge: machine)
    try await WarmStage.set(memory: memory) { stage in
      for cause in 0..<2 {
        let worker = try await stage.worker("title")
        _ = try await worker.ask("A project about a boat")
        let run = worker.worker.run
        #expect(try await stage.shortage().holders.map(\.run).contains(run))
        if cause == 0 { kill(worker.worker.pid, SIGKILL) }
        await worker.worker.end(by: .retire)
        #expect(try await !stage.shortage().holders.map(\.run).contains(run))
      }
    }
  }
}

extension WarmStage {
  /// The refusal of a worker that could never be started.
  fileprivate func shortage() async throws -> MemoryShortage {
    var hello = try hello("coach")
    hello.contextSize = 1 << 30
    return try #require(await #expect(throws: MemoryShortage.self) { try await worker(hello) })
  }

  fileprivate func templates(of contextSize: Int) async -> [Standby] {
    await roster.standbys().sorted { $0.launched < $1.launched }.suffix(2)
  }
}

extension AsyncStream<StandbyLife> {
  /// The names of the first templates that end.
  fileprivate func ends(_ count: Int) async -> [String] {
    var names: [String] = []
    for await life in self {
      guard names.count < count else { break }
      if case .ended(let run, _) = life { names.append(run.description) }
      if names.count == count { break }
    }
    return names
  }
}
