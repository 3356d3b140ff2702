import Synchronization

@testable import Supervision

/// The memory of this machine, until a test sets how much of it is free.
final class PlayedMachine: MemoryGauge {
  private let machine = MachineMemory()
  private let free = Mutex<Int?>(nil)
  private let total = Mutex<Int?>(nil)

  var reading: MemoryReading? {
    guard let reading = machine.reading else { return nil }
    return MemoryReading(
      free: free.withLock { $0 } ?? reading.free,
      total: total.withLock { $0 } ?? reading.total
    )
  }

  func own(of pid: Int32) -> Int? { machine.own(of: pid) }

  func set(total: Int?) { self.total.withLock { $0 = total } }

  func set(free: Int?) { self.free.withLock { $0 = free } }
}
