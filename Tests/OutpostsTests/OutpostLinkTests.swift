import Foundation
import Supervision
import Synchronization
import TestSupport
import Testing
import Transcripts
import Wire

@testable import Outposts

@Suite(.timeLimit(.minutes(1))) struct `The workers of a host` {
  private func configuration(_ run: RunID) -> WorkerConfiguration {
    WorkerConfiguration(run: run, plugin: nil, model: nil, contextSize: nil)
  }

  /// A link to an outpost that can be used.
  private func link(_ folder: String) throws -> OutpostLink {
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
    return link
  }

  @Test func `cannot be more than a host has in its life`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let link = try link(folder)
    link.input.withLock { input in
      for number in 0..<LinkState.maximumLanes {
        _ = input.credits.take(1, of: .init(name: "w-\(number)"))
      }
    }
    let frame = Frame(kind: .last, payload: [1])
    // A lane that is known goes on.
    try link.handle(.worker(.init(name: "w-7"), frame))
    #expect(throws: WireBreach.self) { try link.handle(.worker(.init(name: "w"), frame)) }
  }

  @Test func `that stand by are logged however many there have been`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (start, log) = (ContinuousClock.now, WorkerLog(path: folder + "/log"))
    var logs = StandbyLogs()
    for number in 0..<StandbyLogs.maximum {
      #expect(logs.makeRoom(at: start).hasRoom)
      logs.add(log, of: RunID("w-\(number)"), at: start)
    }
    #expect(!logs.makeRoom(at: start + .seconds(1)).hasRoom, "all may still write")
    let later = start + StandbyLogs.idleTime
    #expect(logs.log(of: RunID("w-0"), at: later) != nil)
    let made = logs.makeRoom(at: later)
    #expect(made.hasRoom && made.closed == RunID("w-1"), "the one that is silent for longest")
    #expect(logs.has(RunID("w-1")) && logs.log(of: RunID("w-1"), at: later) == nil)
    #expect(!logs.has(RunID("w-99")))
  }

  @Test func `end with an outpost that says it is there and does not read`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let link = try link(folder)
    for number in 0...ChannelSender.maximumUnread {
      link.sender.send(ToOutpost.beat(number))
    }
    #expect(throws: WireBreach.self) { try link.handle(.message(.beat(1))) }
  }

  private static let run = RunID("title-1")

  private static func vitals(memory: Int, ofWorker own: Int) -> OutpostVitals {
    OutpostVitals(
      cores: CoreLoad(cores: 1, busy: 0, waiting: 0),
      memory: memory,
      templates: [],
      workers: ["title-1": own]
    )
  }

  @Test(arguments: [
    FromOutpost.refused(run, .memory(needed: .max, free: 0, total: 0, waited: 0)),
    .refused(run, .memory(needed: 1, free: -1, total: 0, waited: 0)),
    .refused(run, .memory(needed: 1, free: 0, total: 0, waited: 1e300)),
    .refused(run, .other(String(repeating: "x", count: 5000))),
    .waiting(run, place: 1, needed: .max, free: 0),
    .vitals(vitals(memory: .max, ofWorker: 0)),
    .vitals(vitals(memory: 0, ofWorker: .max)),
  ])
  func `are told of in numbers that there can be`(message: FromOutpost) {
    #expect(throws: InvalidValue.self) { try message.validate() }
  }

  @Test func `are counted at every moment from their order to their end`() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let link = try link(folder)
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
