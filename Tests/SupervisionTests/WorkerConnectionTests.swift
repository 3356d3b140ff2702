import Foundation
import Synchronization
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A worker's connection` {
  @Test func `delivers messages in order, and the death last`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    _ = connection.handle(.output(WireLimits.preamble + Said.bytes(Said.greeting)))
    _ = connection.handle(.error(Array("a word\n".utf8)))
    _ = connection.handle(.output(Said.bytes(Said.ready) + Said.bytes(Said.farewell)))
    _ = connection.handle(.exited(.code(0)))
    let death = Death(cause: .farewell(.done), lastLines: ["a word"])
    #expect(
      await events(connection) == [
        .message(Said.greeting), .message(Said.ready), .message(Said.farewell), .ended(death),
      ]
    )
    #expect(connection.hasEnded)
  }

  @Test func `writes a banner to the log`() {
    let log = WorkerLog.nowhere
    let connection = WorkerConnection(log: log)
    #expect(connection.handle(.output(Array("Welcome\n".utf8) + WireLimits.preamble)) == .goOn)
    #expect(log.lastLines(1) == ["Welcome"])
  }

  @Test func `kills a worker that violates the protocol`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    #expect(connection.handle(.output(WireLimits.preamble + [0, 0, 0, 0, 9])) == .kill)
    #expect(connection.handle(.output([1, 2, 3])) == .goOn)
    _ = connection.handle(.exited(.signal(SIGKILL)))
    let breach = Death.Cause.breach("a frame of the unknown kind 9")
    #expect(await events(connection) == [.ended(Death(cause: breach, lastLines: []))])
  }

  @Test func `keeps how far a worker has come, for those who look, and tells it to none`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    _ = connection.handle(.output(WireLimits.preamble + Said.bytes(Said.greeting)))
    let loading = WorkProgress(stage: .loading, done: 1, total: 2, seconds: 1)
    _ = connection.handle(.output(Said.bytes(.progress(loading))))
    #expect(connection.progress == loading)
    _ = connection.handle(.output(Said.bytes(Said.ready)))
    #expect(connection.progress == nil)
    let prefill = WorkProgress(stage: .prefill, done: 1, total: 2, seconds: 1)
    _ = connection.handle(.output(Said.bytes(.progress(prefill))))
    #expect(connection.progress == prefill)
    _ = connection.handle(.exited(.signal(SIGKILL)))
    #expect(connection.progress == nil)
    #expect(await events(connection).count == 3)
  }

  @Test func `kills a worker that tells its progress without end`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    _ = connection.handle(.output(WireLimits.preamble + Said.bytes(Said.greeting)))
    let said = Said.bytes(.progress(nil))
    var reaction = ChildReaction.goOn
    for _ in 0..<20_000 where reaction == .goOn { reaction = connection.handle(.output(said)) }
    #expect(reaction == .kill)
  }

  @Test func `hands on a prompt that is asked for, and gives up with the worker`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let said = Said.greeting
    _ = connection.handle(.output(WireLimits.preamble + Said.bytes(said) + Said.bytes(Said.ready)))
    let shown = RenderedPrompt(tokens: 2, cached: 1, cachedText: "a", computedText: "b")
    let answer = await connection.prompts.ask(patience: .seconds(60)) { id in
      // One that is not asked for is dropped.
      _ = connection.handle(.output(Said.bytes(.prompt(id: id + 1, shown))))
      _ = connection.handle(.output(Said.bytes(.prompt(id: id, shown))))
    }
    #expect(answer == shown)
    let none = await connection.prompts.ask(patience: .seconds(60)) { _ in
      _ = connection.handle(.exited(.signal(SIGKILL)))
    }
    #expect(none == nil)
  }

  /// The line of a worker that has greeted and asks `arbiter` for cores.
  private static func greeted(sharing arbiter: FakeArbiter) -> (RunID, WorkerConnection) {
    let run = RunID("line-1")
    let cores = CoreClient(run, arbiter: arbiter, priority: CorePriority(true))
    let connection = WorkerConnection(log: WorkerLog.nowhere, cores: cores)
    _ = connection.handle(.output(WireLimits.preamble + Said.bytes(Said.greeting)))
    return (run, connection)
  }

  @Test func `does not count waiting for a core or computing as loading time`()
    throws
  {
    let arbiter = FakeArbiter()
    let (run, connection) = Self.greeted(sharing: arbiter)
    let timeouts = Roster.Timeouts(
      load: .seconds(4),
      silence: .seconds(4),
      heartbeat: .seconds(2)
    )
    #expect(connection.evaluate(timeouts) == .wait)
    _ = connection.handle(.output(Said.bytes(.wantsCores(1))))
    #expect(arbiter.asked == [run])
    for _ in 0..<10 {
      #expect(connection.evaluate(timeouts) == .ping)
      _ = connection.handle(.output(Said.bytes(.pong(1))))
    }
    arbiter.grant(run)
    for _ in 0..<10 {
      #expect(connection.evaluate(timeouts) == .ping)
      _ = connection.handle(.output(Said.bytes(.pong(1))))
    }
    _ = connection.handle(.output(Said.bytes(.returnsCores)))
    // It loads again and has the full time for that.
    #expect(connection.evaluate(timeouts) == .wait)
    #expect(connection.evaluate(timeouts) == .terminate(.notReady(seconds: 4)))
    _ = connection.handle(.exited(.signal(SIGKILL)))
    #expect(arbiter.returned == [run, run])
  }

  @Test func `allows the load timeout for each computation before ready`() {
    let arbiter = FakeArbiter()
    let (run, connection) = Self.greeted(sharing: arbiter)
    let timeouts = Roster.Timeouts(
      load: .seconds(8),
      silence: .seconds(4),
      heartbeat: .seconds(2)
    )
    _ = connection.handle(.output(Said.bytes(.wantsCores(1))))
    arbiter.grant(run)
    for _ in 0..<4 { #expect(connection.evaluate(timeouts) == .ping) }
    #expect(connection.evaluate(timeouts) == .terminate(.hung(seconds: 8)))
  }

  @Test func `extends the load timeout with the model's size, except for a fork's greeting`() {
    let timeouts = Roster.Timeouts(
      load: .seconds(4),
      heartbeat: .seconds(2),
      fork: .seconds(4)
    )
    let connection = WorkerConnection(log: WorkerLog.nowhere, loadGrowth: .seconds(6))
    for _ in 0..<5 { #expect(connection.evaluate(timeouts) == .wait) }
    #expect(connection.evaluate(timeouts) == .terminate(.notReady(seconds: 10)))
    let fork = WorkerConnection(log: WorkerLog.nowhere, isFork: true, loadGrowth: .seconds(6))
    for _ in 0..<2 { #expect(fork.evaluate(timeouts) == .wait) }
    #expect(fork.evaluate(timeouts) == .terminate(.notReady(seconds: 4)))
  }

  @Test func `kills a worker that requests cores which it has not returned`() {
    let arbiter = FakeArbiter()
    let (run, connection) = Self.greeted(sharing: arbiter)
    for request in 1...3 {
      #expect(connection.handle(.output(Said.bytes(.wantsCores(request)))) == .goOn)
      #expect(connection.handle(.output(Said.bytes(.returnsCores))) == .goOn)
    }
    #expect(connection.handle(.output(Said.bytes(.wantsCores(4)))) == .goOn)
    // Having been granted what it wanted changes nothing.
    arbiter.grant(run)
    #expect(connection.handle(.output(Said.bytes(.wantsCores(5)))) == .kill)
    #expect(arbiter.asked.count == 4)
  }

  @Test func `has a worker killed that asks for cores faster than it could compute`() {
    let (_, connection) = Self.greeted(sharing: FakeArbiter())
    let both = Said.bytes(.wantsCores(1)) + Said.bytes(.returnsCores)
    func rounds(_ count: Int) -> Int {
      (0..<count).count { _ in connection.handle(.output(both)) == .goOn }
    }
    // As many as it likes, as long as heartbeats come between them.
    for _ in 0..<4 {
      #expect(rounds(5000) == 5000)
      _ = connection.evaluate(Roster.Timeouts())
    }
    #expect(rounds(8192) == 8192)
    #expect(connection.handle(.output(both)) == .kill)
    guard case .terminating(.breach) = connection.state.withLock({ $0.machine.state }) else {
      Issue.record("it is not killed")
      return
    }
  }

  @Test func `retains nothing once the worker is gone`() throws {
    let cores = CoreClient(RunID("line-1"), arbiter: FakeArbiter(), priority: CorePriority(true))
    let log = WorkerLog.nowhere
    weak var worker: WorkerHandle?
    func live(untilTheEnd: Bool) throws {
      let connection = WorkerConnection(log: log, cores: cores)
      let new = WorkerHandle(
        run: RunID("line-1"),
        pid: 0,
        log: "/dev/null",
        eventLoop: try ChildEventLoop(),
        connection: connection
      )
      cores.connect { try? new.send($0) }
      worker = new
      if untilTheEnd { _ = connection.handle(.exited(.code(0))) }
    }
    try live(untilTheEnd: false)
    #expect(worker != nil)
    try live(untilTheEnd: true)
    #expect(worker == nil)
    // An observer that arrives after the end is not retained either.
    try live(untilTheEnd: false)
    #expect(worker == nil)
  }

  @Test func `drops pongs while other events are unread`() async throws {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    _ = connection.handle(.output(WireLimits.preamble + start))
    let timeouts = Roster.Timeouts(silence: .seconds(4), heartbeat: .seconds(2))
    for number in 0..<(2 * EventBuffer.maximumCount) {
      try #require(connection.evaluate(timeouts) == .ping)
      try #require(connection.handle(.output(Said.bytes(.pong(number)))) == .goOn)
    }
    _ = connection.handle(.exited(.signal(SIGKILL)))
    #expect(await events(connection).count == 3)
  }

  @Test func `has a worker killed that says more than is read, and still tells of its end`()
    async
  {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    #expect(connection.handle(.output(WireLimits.preamble + start)) == .goOn)
    let pong = Said.bytes(.pong(1))
    var reaction = ChildReaction.goOn
    var said = 2
    while reaction == .goOn, said < 2 * EventBuffer.maximumCount {
      reaction = connection.handle(.output(pong))
      said += 1
    }
    #expect(reaction == .kill)
    #expect(said == EventBuffer.maximumCount)
    _ = connection.handle(.output(pong))
    _ = connection.handle(.exited(.signal(SIGKILL)))
    let events = await events(connection)
    #expect(events.count == EventBuffer.maximumCount + 1)
    guard case .ended(let death)? = events.last, case .breach = death.cause else {
      Issue.record("the last event is \(String(describing: events.last))")
      return
    }
  }

  @Test func `has a worker killed that says longer things than are read`() async {
    let connection = WorkerConnection(log: WorkerLog.nowhere)
    let start = [Said.greeting, Said.ready].flatMap(Said.bytes)
    #expect(connection.handle(.output(WireLimits.preamble + start)) == .goOn)
    let prompt = String(repeating: "x", count: WireLimits.message / 2)
    let long = Said.bytes(
      .request(id: 1, turn: 1, .hostTool(callID: "c", .phone(agent: "a", prompt: prompt)))
    )
    // Reading makes room for more.
    var reader = connection.events.makeAsyncIterator()
    for _ in 0..<2 { _ = await reader.next() }
    for _ in 0..<12 {
      #expect(connection.handle(.output(long)) == .goOn)
      #expect(await reader.next() != nil)
    }
    var unread = 0
    while connection.handle(.output(long)) == .goOn, unread < 20 { unread += 1 }
    #expect(unread == EventBuffer.maximumBytes / long.count)
    _ = connection.handle(.exited(.signal(SIGKILL)))
    var last: WorkerEvent?
    while let event = await reader.next() { last = event }
    guard case .ended(let death)? = last, case .breach = death.cause else {
      Issue.record("the last event is \(String(describing: last))")
      return
    }
  }

  private func events(_ connection: WorkerConnection) async -> [WorkerEvent] {
    var events: [WorkerEvent] = []
    for await event in connection.events { events.append(event) }
    return events
  }
}

/// Records requests for cores and grants them when told to.
private final class FakeArbiter: CoreArbiter {
  private struct State {
    var asked: [(run: RunID, tell: @Sendable (ToWorker) -> Void)] = []
    var returned: [RunID] = []
  }

  private let state = Mutex(State())

  var asked: [RunID] { state.withLock { $0.asked.map(\.run) } }
  var returned: [RunID] { state.withLock { $0.returned } }

  func grant(_ run: RunID) {
    for ask in state.withLock({ $0.asked }) where ask.run == run {
      ask.tell(.cores(CoreGrant(request: 1, number: 1, count: 1)))
    }
  }

  func ask(
    _ run: RunID,
    request: Int,
    isAhead: Bool,
    tell: @escaping @Sendable (ToWorker) -> Void
  ) {
    state.withLock { $0.asked.append((run, tell)) }
  }

  func adopt(_ run: RunID, grant number: Int) {}

  func giveBack(_ run: RunID) { state.withLock { $0.returned.append(run) } }
  func raise(_ run: RunID) {}
  var isIdle: Bool { false }
  func resize(to count: Int) {}
}
