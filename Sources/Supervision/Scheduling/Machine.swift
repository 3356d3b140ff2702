import PlatformLibraries

/// What this machine, and any restriction on this process, lets it use.
package enum Machine {
  /// Returns the number of cores this process may use: the least of its affinity, its control
  /// groups' quotas and the physical cores.
  ///
  /// A quota of one and a half cores is one core that is always available. The two hyperthreads of
  /// a core compute a model no faster than one.
  package static func cores(
    bound: Int = ProcessInfo.processInfo.activeProcessorCount,
    groups: [ControlGroup] = ControlGroup.ofThisProcess(),
    physical: Int? = physicalCoresHere
  ) -> Int {
    let quotas = groups.compactMap(\.cores).map { max(1, Int($0)) }
    return max(1, ([bound] + quotas + (physical.map { [$0] } ?? [])).min() ?? 1)
  }

  /// Read once: it does not change, and reading it opens a file per core.
  package static let physicalCoresHere = physicalCores()

  /// Returns the number of physical cores, counting hyperthreads once; `nil` where it is unknown.
  ///
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

/// A control group: limits that the system enforces on a process and everything it starts.
package struct ControlGroup: Sendable, Equatable {
  /// Cores by time: 1.5 is one and a half times the time of one; `nil` when unlimited.
  package var cores: Double?
  /// How much memory its processes may have and how much of it is free; `nil` when unlimited.
  package var memory: MemoryReading?

  package init(cores: Double? = nil, memory: MemoryReading? = nil) {
    self.cores = cores
    self.memory = memory
  }

  /// Returns the control groups of this process, from the innermost to the outermost.
  ///
  /// - Parameters:
  ///   - membership: The kernel's list of the groups of this process.
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
      // Version 2 has a single hierarchy and names no controller.
      let mounts = controllers.isEmpty ? [root] : controllers.map { "\(root)/\($0)" }
      return mounts.flatMap { mount in
        Self.path(String(fields[2])).map { ControlGroup(folder: mount + $0) }
      }
    }
  }

  /// Returns a path and all its ancestors.
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
    memory =
      Self.memory(folder, bound: "memory.max", used: "memory.current", prefix: "")
      ?? Self.memory(
        folder,
        bound: "memory.limit_in_bytes",
        used: "memory.usage_in_bytes",
        prefix: "total_"
      )
  }

  /// Reads a group's memory; file pages count as free, because they are given back on priority.
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
