import Foundation

/// What this machine, and whoever runs this process in a part of it, lets it use.
package enum Machine {
  /// How many cores this process may use: those that it is bound to, no more than its control groups
  /// pay for, and no more than there are of metal.
  ///
  /// A quota of one core and a half is one core that is always there. The two halves of a core with
  /// hyperthreads compute a model no faster than one.
  package static func cores(
    bound: Int = ProcessInfo.processInfo.activeProcessorCount,
    groups: [ControlGroup] = ControlGroup.ofThisProcess(),
    physical: Int? = physicalCoresHere
  ) -> Int {
    let quotas = groups.compactMap(\.cores).map { max(1, Int($0)) }
    return max(1, ([bound] + quotas + (physical.map { [$0] } ?? [])).min() ?? 1)
  }

  /// Read once: the machine stays what it is, and a look at it reads a file a core.
  package static let physicalCoresHere = physicalCores()

  /// How many cores there are, hyperthreads of one taken together; `nil` where that is not told.
  /// - Parameter folder: Where the kernel describes its processors.
  package static func physicalCores(in folder: String = "/sys/devices/system/cpu") -> Int? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let siblings = names.filter { $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) }
      .compactMap { name in
        try? String(
          contentsOfFile: "\(folder)/\(name)/topology/thread_siblings_list",
          encoding: .utf8
        )
      }
    return siblings.isEmpty ? nil : Set(siblings).count
  }
}

/// A control group: bounds that the system keeps for a process and everything that it starts.
package struct ControlGroup: Sendable, Equatable {
  /// Cores by time: 1.5 is three halves of the time of one; `nil` without a bound.
  package var cores: Double?
  /// What its processes may have of the memory, and what of that is free; `nil` without a bound.
  package var memory: MemoryReading?
  /// The file in which the kernel counts the processes of the group that it has killed for want of
  /// memory; `nil` where it does not.
  package private(set) var killCounter: String?

  package init(cores: Double? = nil, memory: MemoryReading? = nil) {
    self.cores = cores
    self.memory = memory
  }

  /// The groups of this process, from its own to the outermost.
  /// - Parameters:
  ///   - membership: What the kernel says of the groups of this process.
  ///   - root: Where the groups are mounted.
  package static func ofThisProcess(
    membership: String = "/proc/self/cgroup",
    root: String = "/sys/fs/cgroup"
  ) -> [ControlGroup] {
    let lines = (try? String(contentsOfFile: membership, encoding: .utf8)) ?? ""
    return lines.split(separator: "\n").flatMap { line -> [ControlGroup] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let controllers = fields[1].split(separator: ",").map(String.init)
      // Version 2 has one hierarchy for everything, and names no controller.
      let mounts = controllers.isEmpty ? [root] : controllers.map { "\(root)/\($0)" }
      return mounts.flatMap { mount in
        Self.path(String(fields[2])).map { ControlGroup(folder: mount + $0) }
      }
    }
  }

  /// A path and all that it lies in.
  private static func path(_ path: String) -> [String] {
    var parts = path.split(separator: "/")
    var paths: [String] = []
    while true {
      paths.append(parts.map { "/\($0)" }.joined())
      if parts.popLast() == nil { return paths }
    }
  }

  private init(folder: String) {
    cores = Self.quota(folder)
    killCounter = ["memory.events", "memory.oom_control"].map { "\(folder)/\($0)" }
      .first { access($0, R_OK) == 0 }
    memory =
      Self.memory(folder, bound: "memory.max", used: "memory.current", prefix: "")
      ?? Self.memory(
        folder,
        bound: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        prefix: "total_"
      )
  }

  /// What is used counts the pages of files, which are given back when somebody needs them.
  private static func memory(
    _ folder: String,
    bound: String,
    used: String,
    prefix: String
  ) -> MemoryReading? {
    guard let total = number("\(folder)/\(bound)").map({ Int($0) }),
      let used = number("\(folder)/\(used)").map({ Int($0) }),
      total < Int(clamping: ProcessInfo.processInfo.physicalMemory)
    else { return nil }
    let facts = words("\(folder)/memory.stat") ?? []
    let files = zip(facts, facts.dropFirst())
      .filter { ["\(prefix)inactive_file", "\(prefix)active_file"].contains($0.0) }
      .reduce(0) { $0 + (Int($1.1) ?? 0) }
    return MemoryReading(free: max(0, total - used + files), total: total)
  }

  private static func quota(_ folder: String) -> Double? {
    if let both = words(folder + "/cpu.max") {
      guard both.count == 2, let quota = Double(both[0]), let period = Double(both[1]) else {
        return nil
      }
      return period > 0 ? quota / period : nil
    }
    guard let quota = number(folder + "/cpu.cfs_quota_us"), quota > 0,
      let period = number(folder + "/cpu.cfs_period_us"), period > 0
    else { return nil }
    return quota / period
  }

  private static func number(_ file: String) -> Double? { words(file)?.first.flatMap(Double.init) }

  private static func words(_ file: String) -> [String]? {
    (try? String(contentsOfFile: file, encoding: .utf8))?
      .split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
