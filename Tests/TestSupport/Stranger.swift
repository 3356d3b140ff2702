import Foundation

/// Observes processes that report nothing to this one.
package enum Stranger {
  package static func isRunning(_ pid: Int32) -> Bool {
    guard let state = facts(of: pid).first else { return false }
    return !["Z", "X"].contains(state)
  }

  /// Returns the process that is told of its end.
  package static func parent(of pid: Int32) -> Int32? {
    facts(of: pid).dropFirst().first.flatMap { Int32($0) }
  }

  /// Waits until a process is gone, for ten seconds at most; there is no event to wait for.
  package static func hasGone(_ pid: Int32) async -> Bool { await wait { !isRunning(pid) } }

  /// Returns the processes in groups that the given processes lead or have led.
  package static func members(of groups: Set<Int32>) -> [Int32] {
    all().filter { groups.contains(getpgid($0)) && isRunning($0) }
  }

  /// Returns where a process's program lies in its memory.
  ///
  /// A fork has it in the same place as its template; a process started from scratch has it
  /// elsewhere.
  package static func start(of pid: Int32) -> UInt64? {
    facts(of: pid).dropFirst(23).first.flatMap { UInt64($0) }
  }

  /// Returns what a process shows as its arguments, beginning with the program's name.
  package static func arguments(of pid: Int32) -> [String]? {
    guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
      return nil
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until every ended child of this process is reaped, for ten seconds at most.
  package static func hasNoZombies() async -> Bool {
    await wait { !all().contains { facts(of: $0).first == "Z" && parent(of: $0) == getpid() } }
  }

  private static func wait(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<1000 {
      if isSo() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  private static func all() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }
  }

  /// Returns what the kernel says about a process, from its state on; the name before it may hold
  /// anything.
  private static func facts(of pid: Int32) -> [Substring] {
    let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return stat?.split(separator: ")").last?.split(separator: " ") ?? []
  }
}
