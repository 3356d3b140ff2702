import PlatformLibraries

/// What the kernel reports about a process in one line.
struct ProcessFacts: Sendable {
  let pid: Int32
  let parent: Int32
  let group: Int32
  let threads: Int
  /// The start time, in kernel ticks since boot.
  let start: String
  /// Whether the process has ended and was not yet reaped.
  let isZombie: Bool

  /// - Returns: `nil` when there is no such process, or the system does not report it.
  init?(of pid: Int32) {
    // Bytes, because the second field is the program's name in parentheses and may hold anything.
    let line = ProcFile.contents(of: "/proc/\(pid)/stat")
    guard let name = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    // After the name comes the state, the third field; the threads are the 20th, the start the
    // 22nd.
    let fields = String(decoding: line[name...].dropFirst(), as: UTF8.self).split(separator: " ")
    guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
      let threads = Int(fields[17])
    else { return nil }
    self.pid = pid
    (self.parent, self.group, self.threads) = (parent, group, threads)
    (start, isZombie) = (String(fields[19]), fields[0] == "Z")
  }

  /// Returns the facts of all processes.
  static func all() -> [ProcessFacts] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.compactMap(ProcessFacts.init(of:))
  }
}

/// Processes at one moment, indexed by parent.
struct ProcessTable {
  private let processes: [ProcessFacts]
  private let children: [Int32: [ProcessFacts]]

  init(_ processes: [ProcessFacts]) {
    self.processes = processes
    children = Dictionary(grouping: processes, by: \.parent)
  }

  /// Returns a process, the members of its group, and everything any of them has started.
  func family(of pid: Int32) -> [ProcessFacts] {
    var family = processes.filter { $0.pid == pid || $0.group == pid }
    var known = Set(family.map(\.pid))
    var next = 0
    while next < family.count {
      for child in children[family[next].pid] ?? [] where known.insert(child.pid).inserted {
        family.append(child)
      }
      next += 1
    }
    return family
  }
}
