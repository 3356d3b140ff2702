import Foundation

/// What a process occupies of the memory.
package enum ProcessMemory {
  /// The proportional set size in bytes, in which shared pages are counted by their share; `nil` when
  /// the system does not tell.
  package static func proportional(of pid: Int32) -> Int? { sum(of: ["Pss:"], pid) }

  /// What it shares with no other process, in bytes; `nil` when the system does not tell.
  package static func own(of pid: Int32) -> Int? {
    sum(of: ["Private_Clean:", "Private_Dirty:"], pid)
  }

  private static func sum(of names: [String], _ pid: Int32) -> Int? {
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
