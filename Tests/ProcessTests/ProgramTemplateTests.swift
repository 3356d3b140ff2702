import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A worker without a model` {
  @Test func `is forked from the program's template, and answers as others do`()
    async throws
  {
    var alone: [WarmWorker.Answer] = []
    try await WarmStage.set(templates: false) { stage in
      alone.append(try await stage.player("puppet").ask("recite"))
      alone.append(try await stage.player("partner").ask("recite"))
    }
    #expect(alone.count == 2)
    try await WarmStage.set { stage in
      let puppet = try await stage.player("puppet")
      let partner = try await stage.player("partner")
      let template = try #require(await stage.template("program"))
      #expect(await stage.roster.standbys().count == 1)
      #expect(template.model == nil)
      for (worker, answer) in zip([puppet, partner], alone) {
        #expect(Stranger.parent(of: worker.worker.pid) == getpid())
        #expect(Stranger.start(of: worker.worker.pid) == Stranger.start(of: template.pid))
        #expect(try await worker.ask("recite") == answer)
      }
      let log = try String(contentsOfFile: puppet.worker.log, encoding: .utf8)
      #expect(log.contains("agent 'puppet'"))
    }
  }

  @Test func `survives its template, and the next is forked from another`() async throws {
    try await WarmStage.set { stage in
      let before = try await stage.player("puppet")
      let template = try #require(await stage.readyTemplate("program"))
      kill(template.pid, SIGKILL)
      #expect(await Stranger.hasGone(template.pid))
      #expect(!(try await before.ask("recite")).entries.isEmpty)
      #expect(!(try await stage.player("puppet").ask("recite")).entries.isEmpty)
      let next = try #require(await stage.readyTemplate("program"))
      #expect(next.pid != template.pid)
    }
  }

  @Test func `is started from scratch where its template hangs, which is replaced`() async throws {
    let quick = Roster.Timeouts(
      load: .seconds(40),
      silence: .seconds(2),
      heartbeat: .milliseconds(100),
      fork: .seconds(3)
    )
    try await WarmStage.set(timeouts: quick) { stage in
      _ = try await stage.player("puppet")
      let hung = try #require(await stage.readyTemplate("program"))
      let layout = try #require(Stranger.start(of: hung.pid))
      kill(hung.pid, SIGSTOP)
      let alone = try await stage.player("puppet")
      // A process has no layout until its program is loaded.
      #expect(!(try await alone.ask("recite")).entries.isEmpty)
      #expect(Stranger.start(of: alone.worker.pid) != layout)
      #expect(await Stranger.hasGone(hung.pid))
      let next = try await stage.player("puppet")
      let template = try #require(await stage.readyTemplate("program"))
      #expect(template.pid != hung.pid)
      #expect(Stranger.start(of: next.worker.pid) == Stranger.start(of: template.pid))
    }
  }

  @Test func `is forked from the same process as the templates of models`() async throws {
    try await WarmStage.set { stage in
      let worker = try await stage.worker("title")
      let templates = await stage.roster.standbys()
      #expect(templates.count == 3)
      let starts = Set((templates.map(\.pid) + [worker.worker.pid]).map(Stranger.start))
      #expect(starts.count == 1 && !starts.contains(nil))
      // Proves that the check works: a process started from nothing has a different layout.
      try await WarmStage.set { other in
        _ = try await other.worker("title")
        let program = try #require(await other.template("program"))
        #expect(!starts.contains(Stranger.start(of: program.pid)))
      }
    }
  }

  @Test func `needs no spare`() async throws {
    try await WarmStage.set { stage in
      let configuration = try await stage.configuration(ofPlayer: "puppet")
      await stage.roster.expect(configuration)
      await stage.roster.prepare(configuration)
      #expect(await stage.roster.standbys().map(\.kind) == [.template])
    }
  }
}

extension WarmStage {
  /// A worker of an agent that brings its own model.
  fileprivate func player(_ agent: String) async throws -> WarmWorker {
    try await worker(configuration(ofPlayer: agent))
  }

  fileprivate func configuration(ofPlayer agent: String) async throws -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: agent),
      plugin: try await Troupe.shared().plugin(agent),
      model: nil,
      contextSize: nil,
      agent: try await Troupe.shared().declaration(of: agent)
    )
  }
}
