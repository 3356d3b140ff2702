import Foundation
import Synchronization
import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A child that somebody else has collected` {
  @Test func `has ended, and is not looked for again and again`() throws {
    let ends = Mutex<[Supervision.ExitStatus]>([])
    let launch = Launch(executable: "/bin/sh", arguments: ["-c", "exit 3"], environment: [:])
    let child = try Child(launch) { event in
      if case .exited(let status) = event { ends.withLock { $0.append(status) } }
      return .goOn
    }
    #expect(waitpid(child.pid, nil, 0) == child.pid)
    // Bounded, because one that is looked for for ever is always there to be looked at.
    for _ in 0..<100 {
      if child.reportEndIfOver() { break }
      var requests = child.pollRequests
      #expect(poll(&requests, nfds_t(requests.count), 10_000) > 0)
      for request in requests where request.revents != 0 { child.serve(request) }
    }
    // How it ended nobody knows any more.
    #expect(ends.withLock { $0 } == [.signal(SIGKILL)])
    #expect(child.pollRequests.isEmpty)
  }
}
