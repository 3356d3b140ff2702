import Foundation
import Synchronization
import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A child that was reaped elsewhere` {
  @Test func `is reported as ended once`() throws {
    let ends = Mutex<[Supervision.ExitStatus]>([])
    let launch = Launch(executable: "/bin/sh", arguments: ["-c", "exit 3"], environment: [:])
    let child = try Child(launch) { event in
      if case .exited(let status) = event { ends.withLock { $0.append(status) } }
      return .goOn
    }
    #expect(waitpid(child.pid, nil, 0) == child.pid)
    // Bounded, because a child that is never given up would always have something to poll.
    for _ in 0..<100 {
      if child.reportEndIfOver() { break }
      var requests = child.pollRequests
      #expect(poll(&requests, nfds_t(requests.count), 10_000) > 0)
      for request in requests where request.revents != 0 { child.serve(request) }
    }
    // How it ended is unknown.
    #expect(ends.withLock { $0 } == [.signal(SIGKILL)])
    #expect(child.pollRequests.isEmpty)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A child that has ended` {
  @Test func `is reaped only after all of its output is read`() throws {
    let ends = Mutex<[Supervision.ExitStatus]>([])
    let words = ["-c", "echo last; exit 3"]
    let launch = Launch(executable: "/bin/sh", arguments: words, environment: [:])
    let child = try Child(launch) { event in
      if case .exited(let status) = event { ends.withLock { $0.append(status) } }
      return .goOn
    }
    var end = [try #require(child.pollRequests.last)]
    #expect(poll(&end, 1, 10_000) == 1)
    child.serve(end[0])
    #expect(!child.reportEndIfOver(), "its last words are not read")
    #expect(Self.isKept(child.pid))
    for _ in 0..<100 {
      if child.reportEndIfOver() { break }
      var requests = child.pollRequests
      #expect(poll(&requests, nfds_t(requests.count), 10_000) > 0)
      for request in requests where request.revents != 0 { child.serve(request) }
    }
    #expect(ends.withLock { $0 } == [.code(3)])
    #expect(!Self.isKept(child.pid))
  }

  private static func isKept(_ pid: Int32) -> Bool {
    var end = siginfo_t()
    return waitid(P_PID, id_t(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0
  }
}
