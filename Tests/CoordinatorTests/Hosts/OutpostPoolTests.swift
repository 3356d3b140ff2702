import Coordination
import Foundation
import Logging
import Outposts
import Synchronization
import TestSupport
import Testing
import Transcripts
import Wire

@testable import Coordinator

@Suite(.timeLimit(.minutes(1))) struct `The pool of hosts` {
  private let home = Placement.LocalCapacity(freeCores: 1, freeMemory: 1000)

  private func agent(
    _ name: String = "title",
    on host: HostRequirement?,
    permissions: [Permission] = []
  ) -> LaunchableAgent {
    LaunchableAgent(
      name: name,
      plugin: "",
      model: nil,
      contextSize: nil,
      declaration: AgentDescription(
        name: name,
        description: "",
        instructions: "",
        tools: [],
        batons: [],
        friends: [],
        mode: .allowed,
        reasoningLevel: nil,
        serverModel: nil,
        hasExit: false,
        host: host,
        permissions: permissions
      )
    )
  }

  private func launch(
    _ agent: LaunchableAgent,
    in pool: OutpostPool,
    notes: Notes = Notes()
  ) async throws -> String? {
    let run = RunID.new(agent: agent.name)
    let configuration = WorkerConfiguration(run: run, plugin: "", model: nil, contextSize: nil)
    let link = try await pool.launch(agent, configuration, home: home) { notes.add($0) }
    return link.map { $0.host ?? "" }
  }

  private func pool(_ hosts: FakeHosts, _ names: String..., count: Int? = nil) -> OutpostPool {
    OutpostPool(
      names.map { HostDefinition(name: $0, launch: ["x"], count: count) },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      make: hosts.make
    )
  }

  @Test func `leaves an agent that requires no host to this machine, and starts nothing`()
    async throws
  {
    let hosts = FakeHosts()
    #expect(try await launch(agent(on: nil), in: pool(hosts, "a")) == nil)
    #expect(try await launch(agent(on: .local), in: pool(hosts, "a")) == nil)
    #expect(hosts.log.isEmpty)
  }

  @Test func `places a worker on the host that its agent requires, and tells of the wait`()
    async throws
  {
    let (hosts, notes) = (FakeHosts(), Notes())
    let pool = pool(hosts, "a", "b")
    #expect(try await launch(agent(on: "b"), in: pool, notes: notes) == "b")
    #expect(notes.all == [.host(HostWait(host: "b", state: .starting))])
    #expect(hosts.log == ["b places title"])
    #expect(await pool.waits.isEmpty)
  }

  @Test func `tries another host of a group, and then this machine, after a failure`() async throws
  {
    let (hosts, notes) = (FakeHosts(), Notes())
    let pool = pool(hosts, "n", count: 2)
    hosts.fail("n-1")
    #expect(try await launch(agent(on: "n"), in: pool, notes: notes) == "n-2")
    hosts.fail("n-2")
    #expect(try await launch(agent(on: "n"), in: pool, notes: notes) == nil)
    #expect(hosts.log == ["n-1 fails", "n-2 places title", "n-2 fails"])
    guard case .elsewhere(let reason) = notes.all.last else {
      Issue.record("there is no reason")
      return
    }
    #expect(reason.contains("'title'"))
    // Left alone for a while, they are not tried again.
    #expect(try await launch(agent(on: "n"), in: pool) == nil)
    #expect(hosts.log.count == 3)
    #expect(await pool.reports().allSatisfy { $0.reason != nil })
  }

  @Test func `refuses an agent whose host there never was, or whose files are there`() async throws
  {
    let hosts = FakeHosts()
    let pool = pool(hosts, "a")
    await #expect(throws: HostError.self) { try await launch(agent(on: "c"), in: pool) }
    hosts.fail("a")
    let reader = agent(on: "a", permissions: [.reading("/data")])
    await #expect(throws: HostError.self) { try await launch(reader, in: pool) }
    await #expect(throws: HostError.self) {
      try await launch(
        agent(on: "a"),
        in: OutpostPool([], logger: Logger(label: ""), make: hosts.make)
      )
    }
  }

  @Test func `gives a host that a person has stopped nothing until it is started`() async throws {
    let hosts = FakeHosts()
    let pool = pool(hosts, "a")
    await #expect(throws: HostError.self) { try await pool.change("b", .drain) }
    try await pool.change("a", .stop)
    #expect(await pool.reports().map(\.state) == ["stopped"])
    #expect(try await launch(agent(on: "a"), in: pool) == nil)
    try await pool.change("a", .start)
    #expect(try await launch(agent(on: "a"), in: pool) == "a")
    #expect(hosts.log == ["a closes", "a' starts", "a' places title"])
  }

  @Test func `keeps sight of a host that is started while others of its group are closing`()
    async throws
  {
    let hosts = FakeHosts()
    let pool = pool(hosts, "n", count: 2)
    hosts.hold("n-2")
    let stop = Task { try await pool.change("n", .stop) }
    try await eventually("both are closing") { hosts.log.count == 2 }
    try await pool.change("n-1", .start)
    // It waits for the end of the one before it.
    let start = Task { try await pool.change("n-2", .start) }
    hosts.release("n-2")
    try await stop.value
    try await start.value
    #expect(try await launch(agent(on: "n-1"), in: pool) == "n-1")
    #expect(Set(hosts.log.prefix(2)) == ["n-1 closes", "n-2 closes"])
    #expect(hosts.log.dropFirst(2) == ["n-1' starts", "n-2' starts", "n-1' places title"])
    await pool.close()
    #expect(Set(hosts.log.suffix(2)) == ["n-1' closes", "n-2' closes"])
  }

  @Test func `does not start a host that was stopped again while it waited`() async throws {
    let hosts = FakeHosts()
    let pool = pool(hosts, "a")
    hosts.hold("a")
    let stop = Task { try await pool.change("a", .stop) }
    try await eventually("it is closing") { hosts.log.count == 1 }
    let start = Task { try await pool.change("a", .start) }
    while await pool.reports().map(\.state) == ["stopped"] { await Task.yield() }
    let again = Task { try await pool.change("a", .stop) }
    while await pool.reports().map(\.state) != ["stopped"] { await Task.yield() }
    hosts.release("a")
    try await stop.value
    try await again.value
    await #expect(throws: HostError.self) { try await start.value }
    #expect(hosts.log == ["a closes"])
  }

  @Test func `tries another host where the last place was taken meanwhile, and rests neither`()
    async throws
  {
    let hosts = FakeHosts()
    let pool = pool(hosts, "n", count: 2)
    hosts.fill("n-1")
    #expect(try await launch(agent(on: "n"), in: pool) == "n-2")
    #expect(await pool.reports().allSatisfy { $0.reason == nil })
    hosts.empty("n-1")
    #expect(try await launch(agent(on: "n"), in: pool) == "n-1")
  }

  @Test func `starts all hosts of a group, and names each that cannot be started`() async throws {
    let hosts = FakeHosts()
    let pool = pool(hosts, "n", count: 3)
    try await pool.change("n", .start)
    #expect(Set(hosts.log) == ["n-1 starts", "n-2 starts", "n-3 starts"])
    hosts.fail("n-1")
    hosts.fail("n-3")
    do {
      try await pool.change("n", .start)
      Issue.record("nothing failed")
    } catch let error as HostError {
      #expect(error.code == .unavailable)
      #expect(["'n-1'", "'n-3'", "n-2"].allSatisfy(error.description.contains))
    }
    #expect(hosts.log.suffix(3).contains("n-2 starts"), "the second is not kept from it")
    #expect(await pool.reports().map { $0.reason != nil } == [true, false, true])
  }

  @Test func `keeps friends ready where they would run`() async throws {
    let hosts = FakeHosts()
    let pool = pool(hosts, "a", "b")
    let configuration = WorkerConfiguration(
      run: .new(agent: "title"),
      plugin: "",
      model: nil,
      contextSize: nil
    )
    #expect(await pool.expect(agent(on: nil), configuration, home: home))
    #expect(await pool.expect(agent(on: nil), configuration, home: home, caller: "a"))
    #expect(await !pool.expect(agent(on: "b"), configuration, home: home))
    #expect(hosts.log == ["a expects title", "b expects title"])
  }
}

/// What launches are told.
private final class Notes: Sendable {
  private let notes = Mutex<[LaunchObstacle]>([])

  var all: [LaunchObstacle] { notes.withLock { $0 } }

  func add(_ note: LaunchObstacle) { notes.withLock { $0.append(note) } }
}
