import AgentKit
import Coordination
import Foundation
import Synchronization
import Wire

/// Everything that happened on a stage, and when.
final class Timeline: Sendable {
  enum Happening: Sendable {
    /// What those who watch a turn are told.
    case turn(TurnEvent)
    /// What a worker said, as it reached the coordinator.
    case worker(String, pid: Int32, WorkerEvent)
  }

  typealias Instant = ContinuousClock.Instant

  private let entries = Mutex<[(at: Instant, what: Happening)]>([])
  /// Called with every entry of a worker, while the worker waits to be told that it is recorded.
  private let onEntry = Mutex<(@Sendable (_ agent: String, _ pid: Int32) -> Void)?>(nil)

  func note(_ happening: Happening) {
    entries.withLock { $0.append((.now, happening)) }
    if case .worker(let agent, let pid, .message(.request(_, _, .record))) = happening {
      onEntry.withLock { $0 }?(agent, pid)
    }
  }

  func atEntry(_ action: @escaping @Sendable (_ agent: String, _ pid: Int32) -> Void) {
    onEntry.withLock { $0 = action }
  }

  func clear() {
    entries.withLock { $0 = [] }
  }

  /// Returns when a tool call was journaled.
  func call(by agent: String) throws -> Instant {
    try instant("the call by \(agent)") { what in
      if case .turn(.toolCall(_, agent, _, _)) = what { true } else { false }
    }
  }

  /// Returns when the baton went to an agent.
  func baton(to agent: String) throws -> Instant {
    try instant("the baton to \(agent)") { what in
      if case .turn(.batonPassed(_, agent)) = what { true } else { false }
    }
  }

  /// Returns when the first words of an agent reached the coordinator.
  func firstText(of agent: String, after start: Instant? = nil) throws -> Instant {
    try instant("a word of \(agent)", after: start) { what in
      if case .worker(agent, _, .message(.text)) = what { true } else { false }
    }
  }

  /// Returns when the last entry of an agent reached the coordinator.
  func lastEntry(of agent: String) throws -> Instant {
    let last = entries.withLock { entries in
      entries.last {
        if case .worker(agent, _, .message(.request(_, _, .record))) = $0.what {
          true
        } else {
          false
        }
      }
    }
    guard let last else { throw Missing(what: "an entry of \(agent)") }
    return last.at
  }

  /// Returns the usage of an agent's requests, in order.
  func usage(of agent: String) -> [RequestUsage] {
    entries.withLock { entries in
      entries.compactMap {
        if case .worker(agent, _, .message(.request(_, _, .record(_, let usage, _)))) = $0.what {
          usage
        } else {
          nil
        }
      }
    }
  }

  private func instant(
    _ name: String,
    after start: Instant? = nil,
    _ isIt: (Happening) -> Bool
  ) throws -> Instant {
    let found = entries.withLock { entries in
      entries.first { isIt($0.what) && $0.at >= start ?? $0.at }
    }
    guard let found else { throw Missing(what: name) }
    return found.at
  }

  struct Missing: Error {
    let what: String
  }
}
