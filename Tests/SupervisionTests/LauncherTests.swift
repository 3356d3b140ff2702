import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A launcher` {
  private static let configuration = WorkerConfiguration(
    run: RunID("w-1"),
    plugin: nil,
    model: nil,
    contextSize: nil
  )

  @Test func `says which program starts a worker and what its end means`() async throws {
    let roster = try Roster(executable: "/bin/sh", launcher: Wrapper(traits: .killsGroup))
    let worker = try await roster.launch(Self.configuration, log: "/dev/null")
    var death: Death?
    for await case .ended(let end) in worker.events { death = end }
    #expect(death?.cause == .signaled(7))
    await roster.close()
  }

  @Test func `without traits takes no memory of this machine, and forks nothing`() async throws {
    let memory = MemoryQueue(gauge: FakeMemory(free: 0), timeout: .zero)
    for traits in [LauncherTraits(), .sharesMachine] {
      let roster = try Roster(
        executable: "/bin/sh",
        launcher: Wrapper(traits: traits),
        templateLogs: NSTemporaryDirectory(),
        memory: memory
      )
      let launch = await Task { try await roster.launch(Self.configuration, log: "/dev/null") }
        .result
      #expect((try? launch.get()) != nil || traits == .sharesMachine)
      if traits == .sharesMachine {
        #expect(throws: MemoryShortage.self) { try launch.get() }
      }
      await roster.prepare(Self.configuration)
      #expect(await roster.standbys().isEmpty)
      await roster.close()
    }
  }

  @Test(arguments: [true, false])
  func `kills the process group only if it has that trait`(killsGroup: Bool) async throws {
    let child = try await RunningChild.start(
      "/bin/sh",
      // The other descriptors are closed, so that the end of output is that of the shell.
      ["-c", "sleep 600 >/dev/null 2>&1 & echo $!; wait"],
      killsGroup: killsGroup
    )
    let sleeper = try #require(Int32(await child.firstLine()))
    child.signal(SIGKILL)
    #expect(await child.life().status == .signal(SIGKILL))
    if killsGroup {
      #expect(await Stranger.hasGone(sleeper))
    } else {
      #expect(Stranger.isRunning(sleeper))
      kill(sleeper, SIGKILL)
    }
  }
}

/// Starts a shell that exits with 7 in place of a worker, and takes its exit code for a signal.
private struct Wrapper: Launcher {
  let name = "wrapper"
  let traits: LauncherTraits

  func wrap(_ launch: Launch, for configuration: WorkerConfiguration) -> Launch {
    var launch = launch
    launch.arguments = ["-c", "exit 7"]
    return launch
  }

  func interpret(_ event: ChildEvent) -> ChildEvent {
    if case .exited(.code(let code)) = event { .exited(.signal(code)) } else { event }
  }
}
