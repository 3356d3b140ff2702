import Foundation
import Synchronization

/// Finds out whether the kernel killed a process for lack of memory.
package final class MemoryKills: Sendable {
  /// The counter in which the kernel would count a process's kill, and the memory it may use.
  struct Reach: Sendable, Equatable {
    let counter: String
    /// The bytes available to everybody in its group, or on its machine.
    let bound: Int?
  }

  private struct State {
    var counts: [String: KillCount] = [:]
    /// Keyed by the kernel's list of a process's groups: most processes share one.
    var reaches: [String: Reach] = [:]
  }

  private let processes: String
  private let groups: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - processes: Where the kernel describes processes.
  ///   - groups: Where the control groups are mounted.
  package init(processes: String = "/proc", groups: String = "/sys/fs/cgroup") {
    self.processes = processes
    self.groups = groups
  }

  /// Looks up a process while it lives; `nil` once it is gone.
  func reach(of pid: Int32) -> Reach? {
    let membership = "\(processes)/\(pid)/cgroup"
    guard let text = try? String(contentsOfFile: membership, encoding: .utf8) else { return nil }
    if let known = state.withLock({ $0.reaches[text] }) { return known }
    let groups = ControlGroup.ofThisProcess(membership: membership, root: groups)
    let reach = Reach(
      // A group's counter covers that group only; the machine's covers every process on it.
      counter: groups.compactMap(\.killCounter).first ?? "\(processes)/vmstat",
      bound: Machine.memory(facts: "\(processes)/meminfo", groups: groups)?.total
    )
    state.withLock { $0.reaches[text] = reach }
    look(at: reach.counter)
    return reach
  }

  /// Reads all counters; called once per heartbeat.
  func look() {
    for counter in state.withLock({ Array($0.counts.keys) }) { look(at: counter) }
  }

  private func look(at counter: String) {
    let count = KillCount.read(counter)
    state.withLock { $0.counts[counter, default: KillCount()].note(count, at: .now) }
  }

  /// Returns whether the kernel killed a process that was killed by nobody here.
  func explainDeath(in reach: Reach) -> Bool {
    look(at: reach.counter)
    return state.withLock { $0.counts[reach.counter]?.explainDeath() ?? false }
  }
}
