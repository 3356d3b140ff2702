import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A template` {
  private static let quick = Roster.Timeouts(
    load: .seconds(40),
    silence: .seconds(2),
    heartbeat: .milliseconds(100),
    fork: .seconds(3)
  )

  @Test func `that hangs delays a launch by its fork timeout, and is replaced`() async throws {
    try await WarmStage.set(timeouts: Self.quick) { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      let hung = try #require(await stage.template("title"))
      kill(hung.pid, SIGSTOP)
      let answer = try await stage.worker("title").ask("A project about a kite")
      #expect(!answer.entries.isEmpty)
      #expect(answer.tokensCached == 0, "it was started from scratch")
      try await eventually("it is killed for that") {
        try hung.endInLog.contains("did not respond for 3 s")
      }
      let again = try await stage.worker("title").ask("A project about a kite")
      #expect(again.tokensCached > 0, "it was forked")
      #expect(again.entries == answer.entries)
    }
  }

  @Test func `that is killed during a fork is replaced by another for that worker`()
    async throws
  {
    try await WarmStage.set { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      let template = try #require(await stage.template("title"))
      // Stopped, so that it cannot answer before it is killed.
      kill(template.pid, SIGSTOP)
      let worker = Task { try await stage.worker("title") }
      // It may or may not have been asked by now; the worker arrives either way.
      for _ in 0..<500 { await Task.yield() }
      kill(template.pid, SIGKILL)
      #expect(!(try await worker.value.ask("A project about a kite")).entries.isEmpty)
    }
  }

  @Test func `that is killed is remade at once, within its restart budget`()
    async throws
  {
    try await WarmStage.set { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      for round in 0..<5 {
        let template = try #require(await stage.readyTemplate("title"))
        kill(template.pid, SIGKILL)
        try await eventually("its end is noticed in round \(round)") {
          try template.endInLog.contains("killed by signal 9")
        }
      }
      #expect(await stage.template("title") == nil)
      let answer = try await stage.worker("title").ask("A project about a boat")
      #expect(answer.tokensCached == 0)
      #expect(!answer.entries.isEmpty)
    }
  }

  @Test func `is replaced when its agent is recompiled`() async throws {
    try await WarmStage.set { stage in
      var configuration = try stage.configuration("title")
      _ = try await stage.worker(configuration).ask("A project about a boat")
      let old = try #require(await stage.template("title"))
      // The copy lies beside the original, in a folder from which plugins may be read.
      let plugin = URL(filePath: try #require(configuration.plugin))
      let compiled = plugin.deletingLastPathComponent().appending(path: "Title-0123456789abcdef.so")
      defer { try? FileManager.default.removeItem(at: compiled) }
      try FileManager.default.copyItem(at: plugin, to: compiled)
      configuration.plugin = compiled.path
      configuration.run = .new(agent: "title")
      _ = try await stage.worker(configuration).ask("A project about a boat")
      #expect(await Stranger.hasGone(old.pid))
      #expect(try old.endInLog.isEmpty, "it was asked to end, not killed")
      #expect(await stage.template("title")?.run != old.run)
      // The templates of the program and the model are unchanged.
      #expect(await stage.roster.standbys().count == 3)
    }
  }

  @Test func `is replaced with its descendants when the model file is replaced`()
    async throws
  {
    try await WarmStage.set { stage in
      let model = stage.folder + "/model.gguf"
      try FileManager.default.copyItem(atPath: Repository.pocketModel, toPath: model)
      var configuration = try stage.configuration("title")
      configuration.model = model
      _ = try await stage.worker(configuration).ask("A project about a boat")
      let program = try #require(await stage.template("program")).run
      let old = await stage.roster.standbys().filter { $0.run != program }
      #expect(old.count == 2)
      try FileManager.default.copyItem(atPath: Repository.pocketModel, toPath: model + ".new")
      rename(model + ".new", model)
      configuration.run = .new(agent: "title")
      let answer = try await stage.worker(configuration).ask("A project about a boat")
      #expect(answer.tokensCached > 0)
      for template in old {
        #expect(await Stranger.hasGone(template.pid))
        #expect(try template.endInLog.isEmpty, "it was asked to end, not killed")
      }
      #expect(await stage.roster.standbys().count == 3)
    }
  }

  @Test func `that is idle ends, and one in use stays`() async throws {
    let timeouts = Roster.Timeouts(heartbeat: .milliseconds(100), idle: .seconds(3))
    try await WarmStage.set(timeouts: timeouts) { stage in
      for agent in ["coach", "title"] { _ = try await stage.worker(agent).ask("A paper boat") }
      let unused = try #require(await stage.template("coach"))
      let used = try #require(await stage.template("title"))
      let watch = Task { await stage.roster.watch() }
      defer { watch.cancel() }
      try await eventually("the idle template is ended") {
        let worker = try await stage.worker("title")
        await worker.worker.end(by: .kill)
        try await Task.sleep(for: .milliseconds(50))
        return await stage.template("coach") == nil
      }
      #expect(await Stranger.hasGone(unused.pid))
      #expect(await stage.template("title")?.run == used.run)
      // The templates of the program and the model, from which the used one was forked, stay too.
      #expect(await stage.roster.standbys().count == 3)
    }
  }

  @Test func `and its forks show their run in their arguments`() async throws {
    try await WarmStage.set { stage in
      let worker = try await stage.worker("title")
      let template = try #require(await stage.template("title"))
      // A fork names itself before it says anything.
      _ = try await worker.ask("A project about a boat")
      #expect(Stranger.arguments(of: template.pid)?.suffix(2) == ["--run", "\(template.run)"])
      #expect(
        Stranger.arguments(of: worker.worker.pid)?.suffix(2) == ["--run", "\(worker.worker.run)"]
      )
    }
  }
}

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A fork` {
  @Test func `that hangs before it can serve is killed soon`() async throws {
    let timeouts = Roster.Timeouts(
      load: .seconds(2),
      silence: .milliseconds(500),
      heartbeat: .milliseconds(100),
      fork: .milliseconds(500)
    )
    try await WarmStage.set(timeouts: timeouts) { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      let watch = Task { await stage.roster.watch() }
      defer { watch.cancel() }
      let fork = try await stage.worker("title")
      kill(fork.worker.pid, SIGSTOP)
      let ended = await #expect(throws: WarmWorker.Ended.self) {
        try await fork.ask("A project about a kite")
      }
      // The cause depends on how far it got before it was stopped.
      let causes: [Death.Cause] = [.notReady(seconds: 0), .notReady(seconds: 2), .hung(seconds: 0)]
      #expect(causes.contains(try #require(ended?.death.cause)))
    }
  }

  @Test func `is reaped when its template is killed at any moment`() async throws {
    try await WarmStage.set { stage in
      for round in 0..<16 {
        var configuration = try stage.configuration("title")
        // A different window needs a different template, so none has failed before.
        configuration.contextSize = 512 + 32 * round
        _ = try await stage.worker(configuration).ask("A project about a boat")
        let templates = await stage.roster.standbys().filter {
          $0.name == "template-title"
        }
        #expect(!templates.isEmpty)
        let workers = (0..<3).map { _ in
          var configuration = configuration
          configuration.run = .new(agent: "title")
          return Task { [configuration] in try await stage.worker(configuration) }
        }
        for _ in 0..<(round * 40) { await Task.yield() }
        for template in templates { kill(template.pid, SIGKILL) }
        for worker in workers {
          let worker = try await worker.value.worker
          await worker.end(by: .kill)
        }
      }
      #expect(await Stranger.hasNoZombies())
    }
  }
}

extension WarmStage {
  /// The current template of an agent, if any.
  func template(_ agent: String) async -> Standby? {
    await roster.standbys().first { $0.name == "template-\(agent)" }
  }

  /// Waits for a template that can be forked.
  func readyTemplate(_ agent: String) async -> Standby? {
    while !Task.isCancelled {
      if let template = await template(agent), template.isReady { return template }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }
}

extension Standby {
  /// What the coordinator has written to its log about its end; empty if it ended as it should.
  fileprivate var endInLog: String {
    get throws {
      try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("coordinator: ") }.joined()
    }
  }
}
