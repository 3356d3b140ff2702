import Synchronization
package import Wire

/// The launches that wait while memory is short, and the memory reserved for those that were let
/// through.
///
/// The first in line is launched as soon as it fits; unused processes are ended for it. After a
/// bounded wait it is refused.
package final class MemoryQueue: Sendable {
  /// Called with a wait each time its place in the queue changes.
  package typealias WaitHandler = @Sendable (MemoryWait) -> Void

  /// Bytes left to everything else on the machine.
  private static let headroom = 64_000_000
  private static let pollingInterval = Duration.milliseconds(100)

  private struct Reservation {
    let need: MemoryNeed
    var pid: Int32?
    /// The bytes that the process had when it was last measured; they are missing from what the
    /// gauge reports as free.
    var taken = 0

    var outstanding: Int { max(0, need.bytes - taken) }
  }

  private struct State {
    var waiting: [(run: RunID, needed: Int)] = []
    var reservations: [RunID: Reservation] = [:]

    /// Returns what is free and reserved for no other process; `nil` where that is unknown.
    func free(for run: RunID, _ reading: MemoryReading?) -> Int? {
      guard let reading else { return nil }
      let reserved = reservations.reduce(0) { $1.key == run ? $0 : $0 + $1.value.outstanding }
      return max(0, reading.free - reserved - MemoryQueue.headroom)
    }

    func fits(_ run: RunID, _ need: MemoryNeed, _ reading: MemoryReading?) -> Bool {
      free(for: run, reading).map { need.bytes <= $0 } ?? true
    }
  }

  private let gauge: any MemoryGauge
  private let timeout: Duration
  private let state = Mutex(State())

  /// - Parameter timeout: How long a launch waits at most.
  package init(gauge: any MemoryGauge, timeout: Duration = .seconds(30)) {
    self.gauge = gauge
    self.timeout = timeout
  }

  /// The waiting launches, in the order in which they will be made.
  package var waits: [MemoryWait] {
    let reading = gauge.reading
    return state.withLock { state in
      state.waiting.enumerated().map { index, waiter in
        MemoryWait(
          run: waiter.run,
          place: index + 1,
          needed: waiter.needed,
          free: state.free(for: waiter.run, reading) ?? 0
        )
      }
    }
  }

  /// The processes for which memory is reserved.
  var reserving: Set<RunID> { state.withLock { Set($0.reservations.keys) } }

  // MARK: Before a launch

  /// Waits until there is memory for a launch, and reserves it.
  ///
  /// - Parameters:
  ///   - onWait: Called while the launch waits.
  ///   - reclaim: Ends something unused; returns whether there was anything to end.
  ///   - need: What is needed now, including the templates to be made first.
  /// - Throws: `MemoryShortage`, `CancellationError`.
  func admit(
    _ run: RunID,
    onWait: WaitHandler,
    reclaim: @Sendable () async -> Bool,
    need: @Sendable () async -> MemoryNeed
  ) async throws {
    // A machine that sleeps frees nothing in the meantime.
    let start = SuspendingClock.now
    var notified: Int?
    defer { state.withLock { $0.waiting.removeAll { $0.run == run } } }
    for attempt in 0... {
      try Task.checkCancellation()
      let need = await need()
      // Measuring takes time, so it is done only for the first in line, and only when it waits.
      if attempt > 0, isFirst(run) { await measure() }
      guard let place = try reserve(run, ifPossible: need) else { return }
      if attempt == 0 { continue }
      // What was ended has given its memory back by the time this returns.
      if place == 1, await reclaim() { continue }
      let waited = SuspendingClock.now - start
      guard waited < timeout else { throw shortage(for: run, need, after: waited) }
      if place != notified, let wait = waits.first(where: { $0.run == run }) { onWait(wait) }
      notified = place
      try await Task.sleep(for: Self.pollingInterval)
    }
  }

  /// Reserves memory for a process started ahead of need, unless a launch waits for memory.
  ///
  /// - Throws: `MemoryShortage`.
  func reserveAhead(_ run: RunID, _ need: MemoryNeed) throws {
    let reading = gauge.reading
    let isReserved = state.withLock { state in
      guard state.waiting.isEmpty, state.fits(run, need, reading) else { return false }
      state.reservations[run] = Reservation(need: need)
      return true
    }
    guard isReserved else { throw shortage(for: run, need) }
  }

  /// Replaces a reservation by a smaller one, because part of what it was for has been launched.
  func reduce(_ run: RunID, to need: MemoryNeed) {
    state.withLock { $0.reservations[run] = Reservation(need: need) }
  }

  // MARK: While the process lives

  func began(_ run: RunID, pid: Int32) { state.withLock { $0.reservations[run]?.pid = pid } }

  /// Records that a process is ready; what it needed is now missing from what is free.
  func becameReady(_ run: RunID) {
    state.withLock { state in
      if state.reservations[run]?.need.isGradual == false { state.reservations[run] = nil }
    }
  }

  /// Releases the memory of a process that is gone or was not started.
  func release(_ run: RunID) { state.withLock { $0.reservations[run] = nil } }

  // MARK: Deciding

  /// Reserves memory for a launch, or returns its place in the queue.
  ///
  /// - Throws: `MemoryShortage` when there could never be enough memory.
  private func reserve(_ run: RunID, ifPossible need: MemoryNeed) throws -> Int? {
    let reading = gauge.reading
    if let reading, need.bytes > reading.total - Self.headroom { throw shortage(for: run, need) }
    return state.withLock { state in
      let index = state.waiting.firstIndex { $0.run == run } ?? state.waiting.endIndex
      if index == state.waiting.endIndex { state.waiting.append((run, need.bytes)) }
      state.waiting[index].needed = need.bytes
      guard index == 0, state.fits(run, need, reading) else { return index + 1 }
      state.reservations[run] = Reservation(need: need)
      return nil
    }
  }

  private func isFirst(_ run: RunID) -> Bool { state.withLock { $0.waiting.first?.run == run } }

  /// Measures what the processes with a reservation have taken of it, off the caller's actor.
  @concurrent private func measure() async {
    for (run, reservation) in state.withLock(\.reservations) {
      guard let own = reservation.pid.flatMap(gauge.own) else { continue }
      state.withLock { $0.reservations[run]?.taken = own }
    }
  }

  private func shortage(
    for run: RunID,
    _ need: MemoryNeed,
    after waited: Duration = .zero
  ) -> MemoryShortage {
    let reading = gauge.reading
    return MemoryShortage(
      needed: need.bytes,
      free: state.withLock { $0.free(for: run, reading) } ?? 0,
      total: max(0, (reading?.total ?? 0) - Self.headroom),
      waited: waited
    )
  }
}

/// A launch that waits for memory; sizes are in bytes.
package struct MemoryWait: Sendable, Equatable {
  package let run: RunID
  /// One for the next to be launched.
  package let place: Int
  package let needed: Int
  /// What is free and reserved for no other process.
  package let free: Int

  package init(run: RunID, place: Int, needed: Int, free: Int) {
    self.run = run
    self.place = place
    self.needed = needed
    self.free = free
  }
}
