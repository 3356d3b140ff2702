import Synchronization
package import Wire

/// Decides which process may be started as far as memory goes.
///
/// One that does not fit waits, first come, first served, while what nobody uses is ended for it; for
/// so long at most, and then it is refused with the figures.
package final class Memory: Sendable {
  /// Hears of a wait, as often as its place changes.
  package typealias Notice = @Sendable (MemoryWait) -> Void

  /// What is left to everybody else on the machine.
  private static let reserve = 64_000_000
  private static let pollingInterval = Duration.milliseconds(100)

  private struct State {
    var ledger = MemoryLedger()
    var queue: [(run: RunID, needed: Int)] = []

    /// What is free, and kept for nobody else; `nil` where nobody can tell.
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

  /// - Parameter patience: How long a process waits at the most.
  package init(gauge: any MemoryGauge, patience: Duration = .seconds(30)) {
    self.gauge = gauge
    self.patience = patience
  }

  /// The processes that wait, in the order in which they will be started.
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

  /// Waits until there is memory for a process, and keeps it for it.
  /// - Parameters:
  ///   - onWait: Called while it waits.
  ///   - reclaim: Ends something that nobody uses; returns whether there was anything.
  ///   - needs: What the process needs now, and what has to be started before it.
  /// - Throws: `MemoryShortage`, `CancellationError`.
  func admit(
    _ run: RunID,
    onWait: Notice,
    reclaim: @Sendable () async -> Bool,
    needs: @Sendable () async -> [MemoryNeed]
  ) async throws {
    let start = ContinuousClock.now
    var told: Int?
    defer { state.withLock { $0.queue.removeAll { $0.run == run } } }
    for attempt in 0... {
      try Task.checkCancellation()
      let needs = await needs()
      // What processes have taken is missing in what is free already. Measuring them takes time, so
      // that is done only where it matters: for the first, who alone may be started.
      if attempt > 0, isFirst(run) { await measure() }
      guard let place = try place(of: run, needs) else { return }
      if attempt == 0 { continue }
      // What was ended has given its memory back before this returns.
      if place == 1, await reclaim() { continue }
      let waited = ContinuousClock.now - start
      guard waited < patience else { throw shortage(of: run, needs, after: waited) }
      if place != told, let wait = waits.first(where: { $0.run == run }) { onWait(wait) }
      told = place
      try await Task.sleep(for: Self.pollingInterval)
    }
  }

  /// Keeps memory for a process that nobody waits for yet, where nobody else waits for any.
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

  /// Keeps memory for a process out of what has been kept for another.
  func promise(_ run: RunID, _ need: MemoryNeed, outOf payer: RunID) {
    state.withLock { $0.ledger.promise(run, need, outOf: payer) }
  }

  /// Keeps memory for a process, of which enough has been kept.
  func promise(_ run: RunID, _ need: MemoryNeed) {
    state.withLock { $0.ledger.promise(run, [need]) }
  }

  // MARK: While it lives

  func begin(_ run: RunID, pid: Int32) { state.withLock { $0.ledger.begin(run, pid: pid) } }

  /// A process is ready: what it has now, others of its kind will have.
  ///
  /// A template is weighed before its first fork, with which it shares what was its own. Of several
  /// processes of a kind one is weighed, because it walks through all of its memory.
  func weigh(_ run: RunID) {
    let pid = state.withLock { $0.ledger.settle(run) ? nil : $0.ledger.pids[run] }
    guard let pid, let own = gauge.own(of: pid) else { return }
    state.withLock { $0.ledger.weigh(run, own) }
  }

  /// A process is gone, or was not started.
  func release(_ run: RunID) { state.withLock { $0.ledger.release(run) } }

  // MARK: Deciding

  /// Keeps memory for a process, or says at which place it waits.
  /// - Throws: `MemoryShortage` for one that there could never be memory for.
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

  /// Not where it was asked for: the actor there has others to serve.
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

/// A process that waits for memory, in bytes.
package struct MemoryWait: Sendable, Equatable {
  package let run: RunID
  /// One for the next to be started.
  package let place: Int
  package let needed: Int
  /// What is free, and kept for nobody.
  package let free: Int
}
