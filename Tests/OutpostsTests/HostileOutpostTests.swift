import Foundation
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(3))) struct `An outpost that breaks the protocol` {
  /// What the launch of a worker throws when the outpost writes these bytes.
  private func error(after bytes: [UInt8], then command: String = "sleep 60") async throws
    -> OutpostError?
  {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(bytes).write(to: URL(filePath: folder + "/bytes"))
    let host = HostDefinition(
      name: "there",
      launch: ["sh", "-c", "cat '\(folder)/bytes'; \(command)"]
    )
    let outpost = Outpost(
      host,
      parts: .example(folder),
      timeouts: OutpostTimeouts(greeting: .seconds(3), heartbeat: .milliseconds(200)),
      eventLoop: try ChildEventLoop()
    )
    var found: OutpostError?
    do {
      let configuration = WorkerConfiguration(
        run: RunID("title-1"),
        plugin: nil,
        model: nil,
        contextSize: nil
      )
      _ = try await outpost.launch(configuration)
    } catch let error as OutpostError {
      found = error
    }
    await outpost.close()
    return found
  }

  @Test func `by garbage instead of a greeting is given up`() async throws {
    let garbage = [UInt8](repeating: 0x41, count: WireLimits.banner + 64)
    guard case .breach = try await error(after: WireLimits.preamble + garbage) else {
      Issue.record("no breach")
      return
    }
  }

  @Test func `by an endless flood ends alone`() async throws {
    let start = ContinuousClock.now
    guard case .breach = try await error(after: [], then: "exec cat /dev/zero") else {
      Issue.record("no breach")
      return
    }
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `with a launcher that does not exist is reported as that`() async throws {
    let outpost = Outpost(
      HostDefinition(name: "there", launch: ["/nowhere/ssh"]),
      parts: .example("/tmp"),
      eventLoop: try ChildEventLoop()
    )
    await #expect(throws: OutpostError.self) { try await outpost.start() }
    #expect(await outpost.status.state == .off)
  }
}

extension HomeParts {
  static func example(_ folder: String) -> HomeParts {
    HomeParts(
      executable: "/nowhere/worker",
      fingerprint: "abc",
      confinement: nil,
      environment: ["PATH": "/usr/bin:/bin"]
    ) { "\(folder)/\($0).log" }
  }
}
