import Foundation
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(2))) struct `The start of an outpost` {
  /// An engine in whose queue every launch stays.
  private struct FullQueue: QueueWatch {
    func place(of instance: String) async -> QueuePlace? { .waiting(reason: "Resources") }
  }

  /// An outpost whose launcher never leads anywhere, and writes down its process.
  private func outpost(
    _ folder: String,
    queue: (any QueueWatch)? = FullQueue(),
    cleanup: [String]? = nil
  ) throws -> Outpost {
    Outpost(
      HostDefinition(
        name: "there",
        launch: ["sh", "-c", "echo $$ >> '\(folder)/launchers'; exec sleep 60"],
        cleanup: cleanup
      ),
      parts: .example(folder),
      timeouts: OutpostTimeouts(greeting: .seconds(5), heartbeat: .milliseconds(200)),
      eventLoop: try ChildEventLoop(),
      queue: queue
    )
  }

  private func launchers(_ folder: String) -> [Int32] {
    let text = (try? String(contentsOfFile: folder + "/launchers", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { Int32($0) }
  }

  private func launch(on outpost: Outpost) -> Task<Void, any Error> {
    Task {
      let configuration = WorkerConfiguration(
        run: .new(agent: "title"),
        plugin: nil,
        model: nil,
        contextSize: nil
      )
      _ = try await outpost.launch(configuration)
    }
  }

  private func waitUntilQueued(_ outpost: Outpost) async throws {
    try await eventually("it is queued") {
      await outpost.status.state == .queued(reason: "Resources")
    }
  }

  @Test func `leaves an engine's queue when the last launch that waits for it is cancelled`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outpost = try outpost(folder)
    let (one, other) = (launch(on: outpost), launch(on: outpost))
    try await waitUntilQueued(outpost)
    let launcher = try #require(launchers(folder).first)
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    #expect(await outpost.status.state == .queued(reason: "Resources"), "the other still waits")
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
    #expect(await Stranger.hasGone(launcher))
    try await eventually("it is off") { await outpost.status.state == .off }
    // A later launch asks the engine anew.
    let next = launch(on: outpost)
    try await waitUntilQueued(outpost)
    #expect(launchers(folder).count == 2)
    next.cancel()
    await outpost.close()
  }

  @Test func `goes on without launches where no engine keeps it waiting`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outpost = try outpost(folder, queue: nil)
    let launch = launch(on: outpost)
    try await eventually("it is starting") { launchers(folder).count == 1 }
    launch.cancel()
    await #expect(throws: CancellationError.self) { try await launch.value }
    #expect(await outpost.status.state == .starting)
    await outpost.close()
    let launcher = try #require(launchers(folder).first)
    #expect(await Stranger.hasGone(launcher))
  }

  @Test func `that is closed returns when what cleans up after it has ended`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = ["sh", "-c", "sleep 0.3; echo {instance} > '\(folder)/cleaned'"]
    let outpost = try outpost(folder, cleanup: command)
    let launch = launch(on: outpost)
    try await waitUntilQueued(outpost)
    await outpost.close()
    let text = try String(contentsOfFile: folder + "/cleaned", encoding: .utf8)
    #expect(text.hasPrefix("orchestrator-there-"))
    await #expect(throws: (any Error).self) { try await launch.value }
  }
}
