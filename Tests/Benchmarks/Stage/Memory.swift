import Foundation
import Supervision
import Synchronization

/// The memory that processes occupy, in megabytes of a million bytes.
enum Memory {
  /// Returns the proportional set size of processes together.
  static func proportional(of pids: [Int32]) -> Double {
    Double(pids.compactMap(ProcessMemory.proportional).reduce(0, +)) / 1e6
  }

  /// The largest own memory seen among the processes looked at.
  final class Highest: Sendable {
    private let highest = Mutex(0.0)

    var megabytes: Double { highest.withLock { $0 } }

    func note(_ pid: Int32) {
      let megabytes = Memory.own(of: pid)
      highest.withLock { $0 = max($0, megabytes) }
    }

    func clear() { highest.withLock { $0 = 0 } }
  }

  /// Returns what a process shares with no other.
  ///
  /// - Parameter isWritten: Whether to leave out the pages of files, of which there is always
  ///   another copy.
  static func own(of pid: Int32, isWritten: Bool = false) -> Double {
    let rollup = try? String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
    let kilobytes = (rollup ?? "").split(separator: "\n").reduce(0) { sum, line in
      guard line.hasPrefix(isWritten ? "Private_Dirty" : "Private_") else { return sum }
      return sum + (Int(line.filter(\.isNumber)) ?? 0)
    }
    return Double(kilobytes) * 1024 / 1e6
  }
}
