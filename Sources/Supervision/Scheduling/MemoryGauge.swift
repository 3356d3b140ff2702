import PlatformLibraries

/// Reports how much memory there is.
package protocol MemoryGauge: Sendable {
  /// The free and the total memory; `nil` where unknown.
  var reading: MemoryReading? { get }
  /// Returns the bytes that a process shares with no other; `nil` where unknown.
  func own(of pid: Int32) -> Int?
}

/// An amount of memory in bytes.
package struct MemoryReading: Sendable, Equatable {
  /// What processes could still take without anything being swapped out.
  package var free: Int
  package var total: Int
}

/// The memory of this machine, or of the part that this process may use.
package struct MachineMemory: MemoryGauge {
  package init() {}

  package var reading: MemoryReading? { Machine.memory() }

  package func own(of pid: Int32) -> Int? { ProcessMemory.own(of: pid) }
}

extension Machine {
  /// Read once and sent to every worker, because all of them must decide alike how to load a model.
  static let totalMemoryHere = memory()?.total

  /// Returns the memory of this machine or of this process's control groups, whichever is less.
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
