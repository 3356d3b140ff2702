import Synchronization
package import Wire

/// Decides when a process may start, as far as memory goes.
///
/// A process that does not fit waits in line while unused ones are ended for it. After a bounded
/// wait it is refused, with the figures.
package final class Memory: Sendable {
  /// Called with a wait each time its place in line changes.
  package typealias Notice = @Sendable (MemoryWait) -> Void

  /// Memory left to everybody else on the machine.
  private static let reserve = 64_000_000
  private static let pollingInterval = Duration.milliseconds(100)

  private struct State {
    var ledger = MemoryLedger()
    var queue: [(run: RunID, needed: Int)] = []

    /// Returns what is free and not reserved for other processes; `nil` where that is unknown.
    func free(for run: RunID, _ reading: MemoryReading?) -> Int? {
      reading.map { max(0, $0.free - ledger.outstanding(except: run) - Memory.reserve) }
    }

    func fits(_ run: RunID, _ needs: [MemoryNeed], _ reading: MemoryReading?) -> Bool {
      free(for: run, reading).map { ledger.bytes(needs) <= $0 } ?? true
    }
  }

  private let gauge: any MemoryGauge
  private let patience: Duration
  private let state = Mutex(State())

  /// - Parameter patience: How long a process waits at most.
  package init(gauge: any MemoryGauge, patience: Duration = .seconds(30)) {
    self.gauge = gauge
    self.patience = patience
  }

  /// The waiting processes, in the order in which they will be started.
  package var waits: [MemoryWait] {
    let reading = gauge.reading
    return state.withLock { state in
      state.queue.enumerated().map { index, waiter in
        MemoryWait(
          run: waiter.run,
          place: index + 1,
          needed: waiter.needed,
          free: state.free(for: waiter.run, reading) ?? 0
        )
      }
    }
  }

  // MARK: Before a process is started

  /// Waits until there is memory for a process, and reserves it.
  ///
  /// - Parameters:
  ///   - onWait: Called while the process waits.
  ///   - reclaim: Ends something unused; returns whether there was anything to end.
  ///   - needs: What the process needs now, and what must be started before it.
  /// - Throws: `MemoryShortage`, `CancellationError`.
  func admit(
    _ run: RunID,
    onWait: Notice,
    reclaim: @Sendable () async -> Bool,
    needs: @Sendable () async -> [MemoryNeed]
  ) async throws {
    // A machine that sleeps frees nothing in the meantime.
    let start = SuspendingClock.now
    var told: Int?
    defer { state.withLock { $0.queue.removeAll { $0.run == run } } }
    for attempt in 0... {
      try Task.checkCancellation()
      let needs = await needs()
      // What processes have taken is already missing from what is free. Measuring them takes time,
      // so it is done only where it matters: for the first in line, which alone may be started.
      if attempt > 0, isFirst(run) { await measure() }
      guard let place = try place(of: run, needs) else { return }
      if attempt == 0 { continue }
      // What was ended has given its memory back by the time this returns.
      if place == 1, await reclaim() { continue }
      let waited = SuspendingClock.now - start
      guard waited < patience else { throw shortage(of: run, needs, after: waited) }
      if place != told, let wait = waits.first(where: { $0.run == run }) { onWait(wait) }
      told = place
      try await Task.sleep(for: Self.pollingInterval)
    }
  }

  /// Reserves memory for a process that nobody waits for yet, provided nobody else waits for
  /// memory.
  ///
  /// - Throws: `MemoryShortage`.
  func admitAhead(_ run: RunID, _ need: MemoryNeed) throws {
    let reading = gauge.reading
    let isAdmitted = state.withLock { state in
      guard state.queue.isEmpty, state.fits(run, [need], reading) else { return false }
      state.ledger.promise(run, [need])
      return true
    }
    guard isAdmitted else { throw shortage(of: run, [need]) }
  }

  /// Reserves memory for a process out of another's reservation.
  func promise(_ run: RunID, _ need: MemoryNeed, outOf payer: RunID) {
    state.withLock { $0.ledger.promise(run, need, outOf: payer) }
  }

  /// Reserves memory for a process for which enough is already set aside.
  func promise(_ run: RunID, _ need: MemoryNeed) {
    state.withLock { $0.ledger.promise(run, [need]) }
  }

  // MARK: While it lives

  func begin(_ run: RunID, pid: Int32) { state.withLock { $0.ledger.begin(run, pid: pid) } }

  /// Measures a process that is ready, as an estimate for others of its kind.
  ///
  /// A template is weighed before its first fork, with which it then shares what was its own. Only
  /// one process of each kind is weighed, because that walks through all of its memory.
  func weigh(_ run: RunID) {
    let pid = state.withLock { $0.ledger.settle(run) ? nil : $0.ledger.pids[run] }
    guard let pid, let own = gauge.own(of: pid) else { return }
    state.withLock { $0.ledger.weigh(run, own) }
  }

  /// Releases the memory of a process that is gone or was not started.
  func release(_ run: RunID) { state.withLock { $0.ledger.release(run) } }

  // MARK: Deciding

  /// Reserves memory for a process, or returns its place in line.
  ///
  /// - Throws: `MemoryShortage` when there could never be enough memory.
  private func place(of run: RunID, _ needs: [MemoryNeed]) throws -> Int? {
    let reading = gauge.reading
    let (place, couldFit) = state.withLock { state -> (Int?, Bool) in
      let needed = state.ledger.bytes(needs)
      if let reading, needed > reading.total - Self.reserve { return (nil, false) }
      let index = state.queue.firstIndex { $0.run == run } ?? state.queue.endIndex
      if index == state.queue.endIndex { state.queue.append((run, needed)) }
      state.queue[index].needed = needed
      guard index == 0, state.fits(run, needs, reading) else { return (index + 1, true) }
      state.ledger.promise(run, needs)
      return (nil, true)
    }
    guard couldFit else { throw shortage(of: run, needs) }
    return place
  }

  private func isFirst(_ run: RunID) -> Bool { state.withLock { $0.queue.first?.run == run } }

  /// Runs off the caller's actor, which has others to serve.
  @concurrent private func measure() async {
    for (run, pid) in state.withLock({ $0.ledger.pids }) {
      if let own = gauge.own(of: pid) { state.withLock { $0.ledger.note(run, own) } }
    }
  }

  private func shortage(
    of run: RunID,
    _ needs: [MemoryNeed],
    after waited: Duration = .zero
  ) -> MemoryShortage {
    let reading = gauge.reading
    return state.withLock { state in
      MemoryShortage(
        needed: state.ledger.bytes(needs),
        free: state.free(for: run, reading) ?? 0,
        total: max(0, (reading?.total ?? 0) - Self.reserve),
        waited: waited,
        holders: state.ledger.largest(4)
      )
    }
  }
}

/// A process that waits for memory; figures are in bytes.
package struct MemoryWait: Sendable, Equatable {
  package let run: RunID
  /// One for the next to be started.
  package let place: Int
  package let needed: Int
  /// What is free and reserved for nobody.
  package let free: Int
}
