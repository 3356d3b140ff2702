import Foundation

/// What a process occupies of the memory, shared pages counted by their share.
package enum ProcessMemory {
  /// The proportional set size in bytes; `nil` when the system does not tell.
  package static func proportional(of pid: Int32) -> Int? {
    guard let file = fopen("/proc/\(pid)/smaps_rollup", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
        as: UTF8.self
      )
      guard text.hasPrefix("Pss:") else { continue }
      let digits = text.drop { !$0.isNumber }.prefix { $0.isNumber }
      return Int(digits).map { $0 * 1024 }
    }
    return nil
  }
}
