import Foundation
import Testing
import Wire

@testable import Commands
@testable import Coordination
@testable import Coordinator
@testable import Plugins

@Suite struct `The line about what takes long` {
  private let prefill = WorkProgress(
    stage: .prefill,
    done: 4096,
    total: 12_288,
    first: 2048,
    seconds: 10
  )
  private let loading = WorkProgress(
    stage: .loading,
    done: 1_000_000_000,
    total: 4_000_000_000,
    seconds: 2
  )

  @Test func `tells the rate and the time that is left`() {
    var tree = Self.tree
    tree.workers = [Self.worker("coach", "crafts", .responding, prefill)]
    #expect(
      ProgressLine.line(for: "crafts", in: tree)
        == "coach: reading the prompt: 4096 of 12288 tokens, 204 tokens/s, 40 s left"
    )
    #expect(ProgressLine.line(for: "other", in: tree) == nil)
  }

  @Test func `is about friends, too`() {
    var tree = Self.tree
    var coach = Self.worker("coach", "crafts", .responding, nil)
    coach.friends = [Self.worker("title", "crafts", .loading, loading)]
    tree.workers = [coach]
    #expect(
      ProgressLine.line(for: "crafts", in: tree)
        == "title: loading the model: 1000.0 MB of 4000.0 MB, 500.0 MB/s, 6 s left"
    )
  }

  @Test func `is about a template only while no worker does anything`() {
    var tree = Self.tree
    tree.standbys = [
      StandbyStatus(
        run: "template-model-1",
        pid: 3,
        name: "template-model",
        role: "template",
        isReady: false,
        launched: Date(),
        progress: loading
      )
    ]
    #expect(
      ProgressLine.line(for: "crafts", in: tree)?.hasPrefix("template-model: loading") == true
    )
    tree.workers = [Self.worker("coach", "crafts", .responding, nil)]
    #expect(ProgressLine.line(for: "crafts", in: tree) == nil)
  }

  @Test func `is about agents that are compiled`() {
    var tree = Self.tree
    tree.compilation = Compilation(done: 2, total: 5, sources: ["Coach"], compiled: 2, seconds: 8)
    #expect(
      ProgressLine.line(for: "crafts", in: tree) == "compiling agents: 2 of 5 done, 12 s left"
    )
  }

  private static var tree: ProcessTree {
    ProcessTree(
      coordinator: CoordinatorStatus(pid: 1, started: Date(), agents: "Agents"),
      cores: nil,
      standbys: [],
      launches: [],
      workers: [],
      deaths: DeathList(problem: "not read"),
      approvals: [],
      clientCalls: []
    )
  }

  private static func worker(
    _ agent: String,
    _ session: String,
    _ state: WorkerStatus.State,
    _ progress: WorkProgress?
  ) -> WorkerStatus {
    WorkerStatus(
      run: "\(agent)-1",
      pid: 10,
      agent: agent,
      session: session,
      role: .baton,
      state: state,
      tools: [],
      tokensIn: 0,
      tokensCached: 0,
      tokensOut: 0,
      tokensPerSecond: 0,
      launched: Date(),
      launcher: "local",
      progress: progress,
      friends: []
    )
  }
}
