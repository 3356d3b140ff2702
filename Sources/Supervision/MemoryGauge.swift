import Foundation

/// What tells how much memory there is.
package protocol MemoryGauge: Sendable {
  /// What is free, and what there is at all; `nil` where nobody can tell.
  var reading: MemoryReading? { get }
  /// What a process shares with no other, in bytes; `nil` when that cannot be told.
  func own(of pid: Int32) -> Int?
}

/// Memory in bytes.
package struct MemoryReading: Sendable, Equatable {
  /// What processes could still take without anything being swapped out.
  package var free: Int
  package var total: Int

  package init(free: Int, total: Int) {
    self.free = free
    self.total = total
  }
}

/// The memory of this machine, or of the part of it that this process may use.
package struct MachineMemory: MemoryGauge {
  package init() {}

  package var reading: MemoryReading? { Machine.memory() }

  package func own(of pid: Int32) -> Int? { ProcessMemory.own(of: pid) }
}

extension Machine {
  /// Read once, and told to every worker: they decide by it how a model is loaded, and all have to
  /// decide alike.
  static let totalMemoryHere = memory()?.total

  /// What is free of this machine, and of the control groups that this process is in; whichever is
  /// less.
  static func memory(
    facts: String = "/proc/meminfo",
    groups: [ControlGroup] = ControlGroup.ofThisProcess()
  ) -> MemoryReading? {
    let lines = (try? String(contentsOfFile: facts, encoding: .utf8))?.split(separator: "\n") ?? []
    func bytes(_ name: String) -> Int? {
      lines.first { $0.hasPrefix(name) }.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }
    guard let free = bytes("MemAvailable:"), let total = bytes("MemTotal:") else { return nil }
    return groups.compactMap(\.memory).reduce(MemoryReading(free: free, total: total)) {
      MemoryReading(free: min($0.free, $1.free), total: min($0.total, $1.total))
    }
  }
}
