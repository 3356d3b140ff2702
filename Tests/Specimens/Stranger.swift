import Foundation

/// Looks at processes that tell this one nothing.
package enum Stranger {
  package static func isRunning(_ pid: Int32) -> Bool {
    guard let state = facts(of: pid).first else { return false }
    return !["Z", "X"].contains(state)
  }

  /// The process that is told of its end.
  package static func parent(of pid: Int32) -> Int32? {
    facts(of: pid).dropFirst().first.flatMap { Int32($0) }
  }

  /// Waits until a process is gone, for ten seconds at most; there is no event to wait for.
  package static func hasGone(_ pid: Int32) async -> Bool { await wait { !isRunning(pid) } }

  /// The processes of the groups that some processes lead or have led.
  package static func members(of groups: Set<Int32>) -> [Int32] {
    all().filter { groups.contains(getpgid($0)) && isRunning($0) }
  }

  /// Where the program of a process lies in its memory: a fork has it where its template has, and whoever is
  /// started from nothing elsewhere.
  package static func start(of pid: Int32) -> UInt64? {
    facts(of: pid).dropFirst(23).first.flatMap { UInt64($0) }
  }

  /// What a process shows as its arguments, the name of its program first.
  package static func arguments(of pid: Int32) -> [String]? {
    guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
      return nil
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until every child of this process that has ended is collected, for ten seconds at most.
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

  /// What the kernel says of a process, from its state on: the name before it may hold anything.
  private static func facts(of pid: Int32) -> [Substring] {
    let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return stat?.split(separator: ")").last?.split(separator: " ") ?? []
  }
}
