import Synchronization

@testable import Supervision

/// A machine with as much memory as a test says.
final class FakeMemory: MemoryGauge {
  private struct State {
    var reading: MemoryReading?
    var own: [Int32: Int] = [:]
  }

  private let state: Mutex<State>

  init(free: Int, total: Int = 1_000_000_000) {
    state = Mutex(State(reading: MemoryReading(free: free, total: total)))
  }

  var reading: MemoryReading? { state.withLock { $0.reading } }

  func own(of pid: Int32) -> Int? { state.withLock { $0.own[pid] } }

  func set(free: Int) { state.withLock { $0.reading?.free = free } }

  func forget() { state.withLock { $0.reading = nil } }

  func set(own bytes: Int, of pid: Int32) { state.withLock { $0.own[pid] = bytes } }
}
