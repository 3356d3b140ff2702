import Foundation
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(1))) struct `The workers of a host` {
  private func configuration(_ run: RunID) -> WorkerConfiguration {
    WorkerConfiguration(run: run, plugin: nil, model: nil, contextSize: nil)
  }

  @Test func `are counted at every moment from their order to their end`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let link = OutpostLink(
      HostDefinition(name: "there", launch: ["true"]),
      parts: .example(folder),
      timeouts: OutpostTimeouts(),
      launcher: LauncherProcess(
        log: WorkerLog(path: folder + "/launcher.log"),
        eventLoop: try ChildEventLoop()
      )
    ) { _ in }
    link.state.withLock { $0.phase = .up }
    let (run, other) = (RunID.new(agent: "title"), RunID.new(agent: "title"))
    func expectFull(_ moment: Comment) {
      #expect(link.facts.workers == 1, moment)
      #expect(!link.state.withLock { $0.workers.reserve(other, atMost: 1) }, moment)
    }
    #expect(link.state.withLock { $0.workers.reserve(run, atMost: 1) })
    expectFull("ordered")
    let order = LaunchOrder(configuration: configuration(run))
    let launch = Task {
      defer { link.state.withLock { $0.workers.release(run) } }
      return try await link.launch(order) { _ in }
    }
    try await eventually("it is told of the launch") {
      expectFull("on its way")
      return link.state.withLock { $0.workers.launches[run] != nil }
    }
    // It becomes a spare that stood by, under that one's name.
    let spare = RunID.new(agent: "title")
    try link.handle(.message(.launched(run, as: spare, pid: 1)))
    expectFull("launched")
    let worker = try await launch.value
    #expect(worker.run == spare)
    expectFull("alive")
    try link.handle(.end(.init(spare), Death(cause: .farewell(.done), lastLines: [])))
    #expect(link.facts.workers == 0)
    #expect(link.state.withLock { $0.workers.reserve(other, atMost: 1) })
    link.state.withLock { $0.workers.release(other) }
    #expect(link.facts.workers == 0, "one that could not be ordered is forgotten")
  }
}
