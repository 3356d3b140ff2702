import Foundation
import Synchronization
import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A fork that is expected` {
  /// An expected fork and its outcome.
  private final class Expectation: Sendable {
    let pipes: ChildPipes
    private let state = Mutex<[Result<Int32, LaunchError>]>([])

    init() throws { pipes = try ChildPipes(inputIsSocket: false) }

    var outcome: [Result<Int32, LaunchError>] { state.withLock { $0 } }

    func expect(
      _ name: String = "fork",
      in pendingForks: inout PendingForks,
      of template: Int32 = 0,
      within patience: Duration = .seconds(60)
    ) {
      let child = Child(pipes: pipes) { _ in .goOn }
      pendingForks.add(name, child, of: template, within: patience) { result in
        self.state.withLock { $0.append(result) }
      }
    }
  }

  @Test func `is identified once`() async throws {
    let process = try await RunningChild.shell("exec sleep 600")
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks)
    let named = pendingForks.identify("fork", as: process.pid)
    let birth = try #require(named)
    #expect(birth.child.pid == process.pid)
    #expect(expectation.outcome.isEmpty, "it cannot be spoken to yet")
    birth.announce()
    #expect(expectation.outcome == [.success(process.pid)])
    #expect(pendingForks.children.isEmpty)
    process.signal(SIGKILL)
    #expect(await process.life().status == .signal(SIGKILL))
  }

  @Test func `is moved out of its template's process group`() throws {
    let template = try Idler(inGroupOf: nil)
    let fork = try Idler(inGroupOf: template)
    #expect(getpgid(fork.pid) == template.pid)
    var pendingForks = PendingForks()
    try Expectation().expect(in: &pendingForks)
    #expect(pendingForks.identify("fork", as: fork.pid)?.child.pid == fork.pid)
    #expect(getpgid(fork.pid) == fork.pid)
  }

  @Test func `fails with ECHILD when it died with its template before it was identified`() throws {
    let template = try Idler(inGroupOf: nil)
    let fork = try Idler(inGroupOf: template)
    kill(-template.pid, SIGKILL)
    fork.waitForEnd()
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks)
    // It still has to be reaped.
    #expect(pendingForks.identify("fork", as: fork.pid)?.child.pid == fork.pid)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ECHILD))])
    #expect(pendingForks.children.isEmpty)
  }

  @Test func `is not identified with a process that is no child of this one`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks)
    for pid in [1, getppid(), getpid()] { #expect(pendingForks.identify("fork", as: pid) == nil) }
    #expect(pendingForks.identify("other", as: 1) == nil)
    #expect(expectation.outcome.isEmpty)
    #expect(pendingForks.children.count == 1)
  }

  @Test func `is none when its template could not make it`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks)
    #expect(pendingForks.identify("fork", as: -1) == nil)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: EAGAIN))])
  }

  @Test func `fails with ECHILD when its pipes are closed`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks)
    pendingForks.expire(readUntil: .now)
    #expect(expectation.outcome.isEmpty, "its ends of the pipes are still open")
    expectation.pipes.closeChildEnds()
    Self.serve(pendingForks.children)
    pendingForks.expire(readUntil: .now)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ECHILD))])
  }

  /// Reads what has been said through pipes that are closed at the other end.
  private static func serve(_ children: [Child]) {
    for child in children {
      for request in child.pollRequests {
        child.serve(pollfd(fd: request.fd, events: request.events, revents: Int16(POLLHUP)))
      }
    }
  }

  @Test func `is given up after its time`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks, within: .zero)
    #expect(pendingForks.milliseconds == 1)
    pendingForks.expire(readUntil: .now)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ETIMEDOUT))])
    #expect(pendingForks.milliseconds == nil)
  }

  @Test func `is not given up while what it said in its time may lie unread`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    let read = SuspendingClock.now - .seconds(1)
    expectation.expect(in: &pendingForks, within: .zero)
    pendingForks.expire(readUntil: read)
    #expect(expectation.outcome.isEmpty)
    #expect(pendingForks.milliseconds == 1, "it is looked at again at once")
    pendingForks.expire(readUntil: .now)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ETIMEDOUT))])
  }

  @Test func `is looked after every second, however long its time is`() throws {
    var pendingForks = PendingForks()
    try Expectation().expect(in: &pendingForks, within: .seconds(10_000_000))
    #expect(pendingForks.milliseconds == 1001)
  }

  @Test func `has its time although this process was stopped in the middle of it`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks, within: .seconds(3))
    let began = SuspendingClock.now
    for second in [3600, 3601] {
      pendingForks.expire(readUntil: began + .seconds(second))
      #expect(expectation.outcome.isEmpty)
    }
    pendingForks.expire(readUntil: began + .seconds(3602))
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ETIMEDOUT))])
  }

  @Test func `has its time from when its template made the one before`() throws {
    var pendingForks = PendingForks()
    let expectations = try (0..<3).map { _ in try Expectation() }
    let patience = Duration.seconds(3)
    expectations[0].expect("first", in: &pendingForks, of: 1)
    expectations[1].expect("next", in: &pendingForks, of: 1, within: patience)
    expectations[2].expect("another's", in: &pendingForks, of: 2, within: patience)
    let began = SuspendingClock.now
    // Each look counts as a second, so that no delay of this test matters.
    for look in 1...2 { pendingForks.expire(readUntil: began + .seconds(1000 * look)) }
    let left = pendingForks.identify("first", as: -1)
    #expect(left == nil)
    for look in 3...4 {
      pendingForks.expire(readUntil: began + .seconds(1000 * look))
      #expect(expectations.map(\.outcome.count) == [1, 0, 1])
    }
    pendingForks.expire(readUntil: began + .seconds(5000))
    #expect(expectations.map(\.outcome.count) == [1, 1, 1])
  }

  @Test func `is ended when it comes too late`() async throws {
    let process = try await RunningChild.shell("exec sleep 600")
    var pendingForks = PendingForks()
    #expect(pendingForks.identify("fork", as: process.pid)?.child.pid == process.pid)
    #expect(await process.life().status == .signal(SIGKILL))
  }

  @Test func `is heard also after it was given up, so that it can be ended when it comes`()
    async throws
  {
    let process = try await RunningChild.shell("exec sleep 600")
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks, within: .zero)
    pendingForks.expire(readUntil: .now)
    #expect(expectation.outcome == [.failure(.system(call: "fork", code: ETIMEDOUT))])
    #expect(pendingForks.children.count == 1)
    // Its lifeline is closed, in case that it cannot name itself.
    var byte: UInt8 = 0
    let count = read(expectation.pipes.childEnds[0], &byte, 1)
    #expect(count == 0)
    #expect(pendingForks.identify("fork", as: process.pid)?.child.pid == process.pid)
    #expect(await process.life().status == .signal(SIGKILL))
    #expect(pendingForks.children.isEmpty)
    #expect(expectation.outcome.count == 1)
  }

  @Test func `is forgotten after its timeout when its pipes are closed`() throws {
    var pendingForks = PendingForks()
    let expectation = try Expectation()
    expectation.expect(in: &pendingForks, within: .zero)
    pendingForks.expire(readUntil: .now)
    pendingForks.expire(readUntil: .now)
    #expect(pendingForks.children.count == 1)
    expectation.pipes.closeChildEnds()
    Self.serve(pendingForks.children)
    pendingForks.expire(readUntil: .now)
    #expect(pendingForks.children.isEmpty)
    #expect(expectation.outcome.count == 1)
  }
}

/// An idle fork of this process, which may be put into a group because it has not called exec.
private final class Idler {
  private typealias Fork = @convention(c) () -> Int32

  let pid: Int32

  init(inGroupOf other: Idler?) throws {
    // Swift does not allow fork because the other threads are missing in the child. This child only
    // waits for its end and needs none of them.
    let symbol = try #require(dlsym(nil, "fork"))
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let pid = fork()
    if pid == 0 { while true { pause() } }
    self.pid = pid
    try #require(pid > 0 && setpgid(pid, other?.pid ?? pid) == 0)
  }

  deinit {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Waits until it has ended and leaves it to be reaped.
  func waitForEnd() {
    var end = siginfo_t()
    waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT)
  }
}
