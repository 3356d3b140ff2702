import PlatformLibraries

/// The memory that a process occupies together with its descendants; a launcher's worker is one of
/// them.
package enum ProcessMemory {
  /// Returns the proportional set size in bytes, which counts shared pages by their share; `nil`
  /// where the system does not report it.
  package static func proportional(of pid: Int32) -> Int? { sum(of: ["Pss:"], pid) }

  /// Returns the bytes shared with no other process; `nil` where the system does not report it.
  package static func own(of pid: Int32) -> Int? {
    sum(of: ["Private_Clean:", "Private_Dirty:"], pid)
  }

  private static func sum(of names: [String], _ pid: Int32) -> Int? {
    guard let own = sumAlone(of: names, pid) else { return nil }
    return children(of: pid).reduce(own) { $0 + (sum(of: names, $1) ?? 0) }
  }

  /// Returns the processes started by any thread of a process.
  private static func children(of pid: Int32) -> [Int32] {
    let tasks = "/proc/\(pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.flatMap { thread in
      let path = "\(tasks)/\(thread)/children"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }

  private static func sumAlone(of names: [String], _ pid: Int32) -> Int? {
    guard let file = fopen("/proc/\(pid)/smaps_rollup", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var sum: Int?
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
        as: UTF8.self
      )
      guard names.contains(where: text.hasPrefix) else { continue }
      let digits = text.drop { !$0.isNumber }.prefix { $0.isNumber }
      sum = (sum ?? 0) + (Int(digits) ?? 0) * 1024
    }
    return sum
  }
}
