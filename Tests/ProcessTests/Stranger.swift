import Foundation

/// Looks at processes that tell this one nothing.
enum Stranger {
  static func isRunning(_ pid: Int32) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let state = stat.split(separator: ")").last?.split(separator: " ").first
    else { return false }
    return !["Z", "X"].contains(state)
  }

  /// Waits until a process is gone, for ten seconds at most; there is no event to wait for.
  static func hasGone(_ pid: Int32) async -> Bool {
    for _ in 0..<1000 {
      if !isRunning(pid) { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  /// The processes of the groups that some processes lead or have led.
  static func members(of groups: Set<Int32>) -> [Int32] {
    let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return pids.compactMap { Int32($0) }.filter { groups.contains(getpgid($0)) && isRunning($0) }
  }

  /// What a process shows as its arguments, the name of its program first.
  static func arguments(of pid: Int32) -> [String]? {
    guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
      return nil
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until every child of this process that has ended is collected, for ten seconds at most.
  static func hasNoZombies() async -> Bool {
    for _ in 0..<1000 {
      if zombies() == [] { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  private static func zombies() -> [Int32] {
    let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return pids.compactMap { Int32($0) }.filter { pid in
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[0] == "Z" && Int32(fields[1]) == getpid()
    }
  }
}
