import Foundation

/// The processes of this machine, as reported by the kernel.
enum Processes {
  struct Facts: Sendable, Equatable {
    let pid: Int32
    let parent: Int32
    let state: Character
    /// The start time: a number is reused, a number together with its start is not.
    let began: Substring
  }

  static func facts(of pid: Int32) -> Facts? {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = stat.lastIndex(of: ")")
    else { return nil }
    // After the name, which may hold anything, come the state, the parent and so on.
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let state = fields[0].first, let parent = Int32(fields[1]) else {
      return nil
    }
    return Facts(pid: pid, parent: parent, state: state, began: fields[19])
  }

  static func all() -> [Facts] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.compactMap(facts)
  }

  /// Returns everything started by a process, directly or indirectly.
  static func descendants(of root: Int32) -> [Facts] {
    let all = all()
    var found: [Facts] = []
    var parents: Set<Int32> = [root]
    while !parents.isEmpty {
      let children = all.filter { parents.contains($0.parent) }
      found += children
      parents = Set(children.map(\.pid))
    }
    return found
  }

  /// Returns whether it is the same process and still running.
  ///
  /// A process that has ended, and whose parent has too, is left for its adopter to reap.
  static func isThere(_ process: Facts) -> Bool {
    facts(of: process.pid).map { $0.began == process.began && !"ZX".contains($0.state) } ?? false
  }

  /// Returns the processes that run in the group of a process, which may have ended.
  static func group(of pid: Int32) -> [Facts] {
    all().filter { getpgid($0.pid) == pid && !"ZX".contains($0.state) }
  }

  /// Returns the processes of a group that were there before a moment.
  ///
  /// The number of a process that has ended is given to others, who may have groups of their own.
  static func group(of pid: Int32, before moment: Date) -> [Facts] {
    group(of: pid).filter { process in
      guard let beginning = beginning(of: process) else { return true }
      // The boot time is reported in whole seconds.
      return beginning <= moment.addingTimeInterval(1)
    }
  }

  private static func beginning(of process: Facts) -> Date? {
    guard let stat = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
      let line = stat.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
      let boot = Double(line.dropFirst("btime ".count)), let ticks = Double(process.began)
    else { return nil }
    return Date(timeIntervalSince1970: boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Returns whether a process is a worker of an agent, by the arguments that it shows.
  static func isWorker(_ pid: Int32, _ agent: String) -> Bool {
    let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return words.last?.hasPrefix("\(agent)-") == true
  }

  /// Returns the memory of processes, each counted in full.
  static func megabytes(of pids: [Int32]) -> Int {
    pids.reduce(0) { sum, pid in
      let pages = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
      return sum + (pages?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
    } * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }
}
