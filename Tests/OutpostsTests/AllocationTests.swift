import Foundation
import Supervision
import TestSupport
import Testing

@testable import Outposts

/// Hosts whose machines an engine gives out at once; the engine is a shell.
@Suite(.timeLimit(.minutes(1))) struct `An allocation` {
  private let folder: String
  private let parts: HomeParts
  private let eventLoop: ChildEventLoop

  init() throws {
    folder = try temporaryFolder()
    parts = .example(folder)
    eventLoop = try ChildEventLoop()
  }

  /// Two hosts whose launchers write down what they were given, and lead nowhere.
  private func hosts(
    _ script: String,
    cleanup: [String]? = nil,
    greeting: Duration = .seconds(30)
  ) throws -> (allocation: Allocation, one: Outpost, other: Outpost) {
    let group = HostDefinition(
      name: "n",
      launch: ["sh", "-c", "echo {allocation} >> '\(folder)/launches'; exec sleep 60"],
      allocation: ["sh", "-c", "echo $$ >> '\(folder)/allocations'; \(script)"],
      cleanup: cleanup
    )
    let allocation = try #require(Allocation(of: group, parts: parts, eventLoop: eventLoop))
    let hosts = (1...2).map { number in
      var host = group
      (host.name, host.group) = ("n-\(number)", "n")
      return Outpost(
        host,
        parts: parts,
        timeouts: OutpostTimeouts(
          greeting: number == 1 ? greeting : .seconds(30),
          heartbeat: .milliseconds(200)
        ),
        eventLoop: eventLoop,
        allocation: allocation
      )
    }
    return (allocation, hosts[0], hosts[1])
  }

  private func lines(_ file: String) -> [String] {
    let text = (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private func processes() -> [Int32] { lines("allocations").compactMap { Int32($0) } }

  @Test func `is shared by the hosts of a group, and given back with the last of them`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cleanup = ["sh", "-c", "echo {instance} >> '\(folder)/cleaned'"]
    let hosts = try hosts("echo job.7; exec cat", cleanup: cleanup)
    let starts = [Task { try await hosts.one.start() }, Task { try await hosts.other.start() }]
    try await eventually("both are launched") { lines("launches") == ["job.7", "job.7"] }
    #expect(await hosts.allocation.place(of: "") == .running)
    let process = try #require(processes().first)
    #expect(processes().count == 1)
    await hosts.one.close()
    #expect(Stranger.isRunning(process), "the other still uses it")
    #expect(lines("cleaned").isEmpty)
    await hosts.other.close()
    #expect(!Stranger.isRunning(process))
    #expect(lines("cleaned").count == 1)
    #expect(lines("cleaned").allSatisfy { $0.hasPrefix("orchestrator-n-") })
    for start in starts { await #expect(throws: (any Error).self) { try await start.value } }
  }

  @Test func `keeps no host waiting longer than its own limit`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let hosts = try hosts("exec sleep 60", greeting: .milliseconds(500))
    let other = Task { try await hosts.other.start() }
    try await eventually("it is asked for") { processes().count == 1 }
    let process = try #require(processes().first)
    await #expect(throws: OutpostError.self) { try await hosts.one.start() }
    #expect(Stranger.isRunning(process), "the other still waits for it")
    await hosts.other.close()
    #expect(!Stranger.isRunning(process))
    await #expect(throws: (any Error).self) { try await other.value }
  }

  @Test func `is no longer asked for when nothing waits for it`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let hosts = try hosts("exec sleep 60")
    let starts = [Task { try await hosts.one.start() }, Task { try await hosts.other.start() }]
    try await eventually("it is asked for") { processes().count == 1 }
    let process = try #require(processes().first)
    starts[0].cancel()
    await #expect(throws: CancellationError.self) { try await starts[0].value }
    #expect(Stranger.isRunning(process), "the other waits for it")
    starts[1].cancel()
    await #expect(throws: CancellationError.self) { try await starts[1].value }
    #expect(await Stranger.hasGone(process))
    #expect(lines("launches").isEmpty)
    await hosts.one.close()
    await hosts.other.close()
  }

  @Test(arguments: ["echo 'a; b'; exec cat", "exit 1", "echo; exec cat", "exec cat /dev/zero"])
  func `that is not named by one word is refused, and is asked for anew`(script: String)
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let hosts = try hosts(script)
    for count in 1...2 {
      do {
        try await hosts.one.start()
        Issue.record("it was launched")
      } catch OutpostError.notAllocated(let host, _) {
        #expect(host == "n")
      }
      #expect(processes().count == count)
    }
    for process in processes() { #expect(await Stranger.hasGone(process)) }
    #expect(lines("launches").isEmpty)
    await hosts.one.close()
  }
}
