import Foundation
import Synchronization

/// Finds out whether the kernel has killed a process because there was no memory.
package final class MemoryKills: Sendable {
  /// Where the kernel would count a process, and what there is for it.
  struct Reach: Sendable, Equatable {
    let counter: String
    /// Bytes for everybody in its group, or on its machine.
    let bound: Int?
  }

  private struct State {
    var counts: [String: KillCount] = [:]
    /// By what the kernel says of the groups of a process: most are in the same.
    var reaches: [String: Reach] = [:]
  }

  private let processes: String
  private let groups: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - processes: Where the kernel tells of processes.
  ///   - groups: Where the control groups are mounted.
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    self.groups = groups
  }

  /// Looks at a process while it lives; `nil` when it does not any more.
  func reach(of pid: Int32) -> Reach? {
    let membership = "\(processes)/\(pid)/cgroup"
    guard let text = try? String(contentsOfFile: membership, encoding: .utf8) else { return nil }
    if let known = state.withLock({ $0.reaches[text] }) { return known }
    let groups = ControlGroup.ofThisProcess(membership: membership, root: groups)
    let reach = Reach(
      // Its own group counts its own; the machine counts everybody, and others with them.
      counter: groups.compactMap(\.killCounter).first ?? "\(processes)/vmstat",
      bound: Machine.memory(facts: "\(processes)/meminfo", groups: groups)?.total
    )
    state.withLock { $0.reaches[text] = reach }
    look(at: reach.counter)
    return reach
  }

  /// Looks at all counters; called once a heartbeat.
  func look() {
    for counter in state.withLock({ Array($0.counts.keys) }) { look(at: counter) }
  }

  private func look(at counter: String) {
    let count = KillCount.read(counter)
    state.withLock { $0.counts[counter, default: KillCount()].note(count, at: .now) }
  }

  /// Whether the kernel has killed a process that was killed, and by nobody here.
  func explainDeath(in reach: Reach) -> Bool {
    look(at: reach.counter)
    return state.withLock { $0.counts[reach.counter]?.explainDeath() ?? false }
  }
}
