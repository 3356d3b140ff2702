import PlatformLibraries
import Supervision

/// The memory of this machine, or what is left of the part that an outpost and all its processes may
/// take together.
struct BoundedMemory: MemoryGauge {
  /// In bytes; `nil` for all of the machine's.
  let bound: Int?

  var reading: MemoryReading? {
    guard var reading = MachineMemory().reading else { return nil }
    if let bound {
      // Shared pages count once, and a model's that are mapped count too.
      let taken = ProcessMemory.proportional(of: getpid()) ?? 0
      reading.total = min(reading.total, bound)
      reading.free = min(reading.free, max(0, bound - taken))
    }
    return reading
  }

  func own(of pid: Int32) -> Int? { MachineMemory().own(of: pid) }
}
