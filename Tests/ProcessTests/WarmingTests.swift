import Coordination
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `A template that computes` {
  @Test func `gives way to a waiting turn, and resumes where it was`() async throws {
    let cores = TracedCores(1)
    try await WarmStage.set(cores: cores) { stage in
      let configuration = try await stage.scholar()
      let making = Task { await stage.roster.prepare(configuration) }
      await cores.reach { $0.grants.last?.isTemplate(of: "scholar") == true }
      // Unless it gives way, no other gets the core before the whole prefix is computed.
      await cores.take(as: "person")
      let template = try #require(cores.trace.calledBack.first)
      #expect(template.isTemplate(of: "scholar"))
      try await eventually("the template waits") { cores.cores.wait(of: template) != nil }
      cores.giveBack(RunID("person"))
      await making.value
      #expect(cores.trace.peak == 1)
      #expect(cores.trace.grants.count { $0 == template } == 2)
      let answer = try await stage.worker(configuration).ask("What do you advise?")
      #expect(answer.tokensCached > 2000)
    }
  }

  @Test func `is raised in the queue for cores when a worker is wanted`() async throws {
    let cores = TracedCores(1)
    try await WarmStage.set(cores: cores) { stage in
      await cores.take(as: "test")
      let configuration = try stage.configuration("title")
      let making = Task { await stage.roster.prepare(configuration) }
      try await eventually("the template waits") { cores.cores.load.waiting > 0 }
      let other = Task { await cores.take(as: "other") }
      try await eventually("the other waits, too") { cores.cores.load.waiting > 1 }
      #expect(cores.cores.wait(of: RunID("other"))?.place == 1)
      let worker = Task { try await stage.worker(configuration) }
      try await eventually("the template waits before the other") {
        cores.cores.wait(of: RunID("other"))?.place != 1
      }
      cores.giveBack(RunID("test"))
      await other.value
      cores.giveBack(RunID("other"))
      await making.value
      #expect(!(try await worker.value.ask("A project about a boat")).entries.isEmpty)
    }
  }
}

extension RunID {
  fileprivate func isTemplate(of agent: String) -> Bool {
    description.hasPrefix("template-\(agent)-")
  }
}
