import Foundation
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

/// Another build takes the place of the worker's program.
@Suite(.timeLimit(.minutes(10)), .serialized) struct `A program that was replaced on disk` {
  @Test func `is forked while its template lives, and not started from scratch`() async throws {
    let troupe = try await Troupe.shared()
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let flag = Flag()
    let plugin = troupe.plugin("puppet")
    let roster = try Roster(
      executable: troupe.worker,
      isReplaced: { flag.isRaised },
      timeouts: Stage.timeouts,
      templateLogs: folder,
      sandbox: SandboxPolicy(
        templates: Confinement(
          mode: .required,
          scratch: folder + "/scratch",
          plugins: (plugin as NSString).deletingLastPathComponent
        )
      )
    )
    _ = try await launch(plugin, on: roster, folder)
    flag.raise()
    let fork = try await launch(plugin, on: roster, folder)
    let template = try #require(await roster.standbys().first)
    #expect(Stranger.start(of: fork.pid) == Stranger.start(of: template.pid))
    kill(template.pid, SIGKILL)
    #expect(await Stranger.hasGone(template.pid))
    let place = (troupe.worker as NSString).deletingLastPathComponent
    await #expect(throws: LaunchError.replaced(folder: place)) {
      try await launch(plugin, on: roster, folder)
    }
    #expect("\(LaunchError.replaced(folder: place))".contains("systemctl --user restart"))
    await roster.close()
  }

  private func launch(
    _ plugin: String,
    on roster: Roster,
    _ folder: String
  ) async throws -> WorkerHandle {
    let configuration = WorkerConfiguration(
      run: .new(agent: "puppet"),
      plugin: plugin,
      model: nil,
      contextSize: nil
    )
    return try await roster.launch(configuration, log: "\(folder)/\(configuration.run).log")
  }
}

/// A flag that is raised once.
private final class Flag: Sendable {
  private let state = Mutex(false)

  var isRaised: Bool { state.withLock { $0 } }

  func raise() { state.withLock { $0 = true } }
}
