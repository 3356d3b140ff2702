import Foundation

/// The processes of this machine, as the kernel tells them.
enum Processes {
  struct Facts: Sendable, Equatable {
    let pid: Int32
    let parent: Int32
    let state: Character
    /// When it began: a number is used again, a number with its beginning is not.
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

  /// Everything that was started by a process, directly or not.
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

  /// Whether it is the same process, and runs still.
  ///
  /// One that has ended, and whose parent has too, is its adopter's to collect.
  static func isThere(_ process: Facts) -> Bool {
    facts(of: process.pid).map { $0.began == process.began && !"ZX".contains($0.state) } ?? false
  }
}
