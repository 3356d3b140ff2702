import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Getting out of a worker` {
  /// Attempts on the product's own files are made in `proofs escapes`.
  static let attempts = Attempt.all.filter { !$0.isOfProduct && !$0.endsSanitizer }

  /// Whether this process may administer the system and inspect other processes.
  ///
  /// A container denies that even to its root.
  private static var mayDoMost: Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let rights = line.flatMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) }
    let (administration, tracing) = (UInt64(1) << 21, UInt64(1) << 19)
    return rights.map { $0 & administration != 0 && $0 & tracing != 0 } ?? false
  }

  // Proves that the attempts work: an unconfined worker does what its user and this kernel allow.
  @Test func `succeeds where it is not confined`() async throws {
    try await Prison.open(.off) { prison in
      var held: [String] = []
      for attempt in Self.attempts {
        let outcome = try await prison.attempt(attempt.name)
        // A worker that becomes another program ends with that program's status.
        let success: Prison.Outcome = attempt.endsWorker ? .died(.exited(code: 0)) : .escaped
        if outcome != success { held.append("\(attempt.name): \(outcome)") }
      }
      let enough = Self.mayDoMost ? Self.attempts.count - 5 : Self.attempts.count / 2
      #expect(Self.attempts.count - held.count >= enough, "\(held)")
    }
  }

  @Test(arguments: Prison.Origin.allCases)
  func `fails where it is`(origin: Prison.Origin) async throws {
    try await Prison.open(.required, from: origin) { prison in
      for attempt in Self.attempts {
        let outcome = try await prison.attempt(attempt.name)
        // The kernel kills callers of unused system call interfaces.
        if outcome == .died(.signaled(SIGSYS)) { continue }
        guard case .held(let reason) = outcome else {
          Issue.record("\(attempt.name): \(outcome)")
          continue
        }
        #expect(reason.hasPrefix("held: "), "\(attempt.name)")
      }
      #expect(await prison.roster.standbys().isEmpty == (origin == .nothing))
    }
  }

  // An agent that came after the templates and has a permission that none of them foresaw.
  @Test func `succeeds where a person has allowed it, and no template has foreseen it`()
    async throws
  {
    let network: (String) -> [Permission] = { _ in [.network] }
    try await Prison.open(.required, from: .agent, permissions: network, isForeseen: false) {
      prison in
      #expect(try await prison.attempt("connect to a port") == .escaped)
      let outcome = try await prison.attempt("read a file")
      guard case .held = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  // What a template traps for one of its forks is trapped for all of them.
  @Test func `fails without harm where another agent may use the network`() async throws {
    try await Prison.open(.required, from: .agent, others: [.network]) { prison in
      for attempt in ["hand descriptors on", "connect to a port", "send a datagram"] {
        let outcome = try await prison.attempt(attempt)
        guard case .held = outcome else {
          Issue.record("\(attempt): \(outcome)")
          continue
        }
      }
    }
  }

  @Test(arguments: Prison.Origin.allCases)
  func `succeeds where a person has allowed it, and no further`(
    origin: Prison.Origin
  ) async throws {
    let cases: [(Permission, can: [String], cannot: [String])] = [
      (
        .network, ["connect to a port", "send a datagram"],
        ["connect to a socket file", "connect to an abstract socket", "read a file", "fork"]
      ),
      (.reading("/"), ["read a file", "list a folder"], ["write a file", "connect to a port"]),
      (
        .writing("/"), ["read a file", "write a file", "remove a file"], ["change a mode", "fork"]
      ),
      (
        .running("/bin/true"), ["run a program", "fork"],
        ["become a program", "read a file", "connect to a port", "signal the coordinator"]
      ),
    ]
    for (permission, can, cannot) in cases {
      let permissions: (String) -> [Permission] = { folder in
        switch permission {
        case .reading: [.reading(folder)]
        case .writing: [.writing(folder)]
        case .network, .running: [permission]
        }
      }
      try await Prison.open(.required, from: origin, permissions: permissions) { prison in
        for attempt in can {
          #expect(try await prison.attempt(attempt) == .escaped, "\(permission): \(attempt)")
        }
        for attempt in cannot {
          let outcome = try await prison.attempt(attempt)
          guard case .held = outcome else {
            Issue.record("\(permission): \(attempt): \(outcome)")
            continue
          }
        }
      }
    }
  }
}

extension Attempt {
  /// Whether the attempt ends a sanitizer before it reaches the limit that it tests.
  ///
  /// Each thread takes memory of the sanitizer, which aborts when the worker's limit refuses it.
  fileprivate var endsSanitizer: Bool {
    Sanitizer.isThere && name == "start very many threads"
  }
}
