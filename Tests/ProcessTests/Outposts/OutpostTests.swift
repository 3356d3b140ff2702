import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(5))) struct `A worker on an outpost` {
  @Test func `answers as a worker at home does, from a warm template`() async throws {
    let question = "A project about a paper boat"
    try await OutpostStage.set { stage in
      let here = try await stage.home.worker("title").ask(question)
      let first = try await stage.ask("title", question)
      let second = try await stage.ask("title", question)
      #expect(!here.entries.isEmpty)
      #expect(first.entries.first == here.entries.first)
      #expect(second.entries.first == here.entries.first)
      // The template there computed the instructions.
      #expect(first.tokensCached > 10)
      #expect(stage.states.all == [.starting, .up])
    }
  }

  @Test func `has its place, whatever spares are being sent there`() async throws {
    try await OutpostStage.set(change: { $0.limits.workers = 1 }) { stage in
      try await stage.outpost.start()
      let pid = try #require(await stage.outpost.status.machine?.pid)
      let configurations = try (0..<2).map { _ in try stage.home.configuration("title") }
      // What is sent there is not answered for now.
      kill(pid, SIGSTOP)
      defer { kill(pid, SIGCONT) }
      let spare = Task { await stage.outpost.expect(configurations[0]) }
      try await eventually("its plugin is sent") { await !stage.outpost.staging.files.isEmpty }
      let launch = Task.immediate { try await stage.outpost.launch(configurations[1]) }
      // Asked after it.
      _ = await stage.outpost.status
      kill(pid, SIGCONT)
      let worker = try await launch.value
      await spare.value
      await #expect(throws: OutpostError.full(host: "there", workers: 1)) {
        try await stage.worker("title")
      }
      await worker.end(by: .retire)
    }
  }
}
