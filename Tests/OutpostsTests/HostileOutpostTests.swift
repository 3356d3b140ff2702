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

  private func greeting(_ change: (inout OutpostMachine) -> Void = { _ in }) throws -> [UInt8] {
    var machine = OutpostMachine.example
    change(&machine)
    return try WireLimits.preamble + frames(.greeting(machine), epoch: 0)
  }

  private func frames(_ message: FromOutpost, epoch: UInt32) throws -> [UInt8] {
    let frames = ChannelFrame.fit(try MessageEncoder().frames(of: message), lane: .outpost)
    return frames.flatMap { ChannelFrame(.outpost, epoch: epoch, lane: .outpost, $0).bytes }
  }

  @Test func `by garbage instead of a greeting is given up`() async throws {
    let garbage = [UInt8](repeating: 0x41, count: WireLimits.banner + 64)
    guard case .breach = try await error(after: garbage) else {
      Issue.record("no breach")
      return
    }
    guard case .breach = try await error(after: WireLimits.preamble + garbage) else {
      Issue.record("no breach")
      return
    }
  }

  @Test func `by saying nothing is given up in time`() async throws {
    guard case .notGreeted = try await error(after: []) else {
      Issue.record("it was waited for")
      return
    }
    // One that greets and then says nothing.
    guard case .notGreeted = try await error(after: try greeting()) else {
      Issue.record("it was waited for")
      return
    }
  }

  @Test func `by ending is reported with what its launcher said`() async throws {
    let found = try await error(after: [], then: "echo no route to host >&2; exit 255")
    #expect(found == .notGreeted(host: "there", lastLines: ["no route to host"]))
  }

  @Test func `by another version or build is refused`() async throws {
    #expect(
      try await error(after: try greeting { $0.version = 1 })
        == .otherVersion(host: "there", found: 1, expected: WireLimits.version)
    )
    #expect(
      try await error(after: try greeting { $0.fingerprint = "ffff" })
        == .otherBuild(host: "there", found: "ffff", expected: "abc")
    )
  }

  @Test func `by the epoch of an earlier life is given up`() async throws {
    for epoch in [0, 7] as [UInt32] {
      let bytes = try greeting() + frames(.begun, epoch: epoch)
      guard case .breach(_, let words) = try await error(after: bytes) else {
        Issue.record("it was accepted")
        return
      }
      #expect(words.contains("epoch"))
    }
  }

  @Test func `by messages out of turn or impossible values is given up`() async throws {
    let impossible = try greeting { $0.cores = -1 }
    let early = try WireLimits.preamble + frames(.begun, epoch: 0)
    let twice = try greeting() + frames(.greeting(.example), epoch: 0)
    for bytes in [impossible, early, twice] {
      guard case .breach = try await error(after: bytes) else {
        Issue.record("it was accepted")
        return
      }
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
