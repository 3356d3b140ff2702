package import Wire

/// The memory that this coordinator's processes hold, and what they may still take.
///
/// A pure value. What a process has taken is already missing from what the system calls free; what
/// it may take beyond that is reserved for it here.
struct MemoryLedger {
  private struct Holder {
    var need: MemoryNeed?
    var promised: Int
    var occupied = 0
    var pid: Int32?
  }

  /// The most that any process of a kind had taken by the time it was ready.
  private var measured: [MemoryNeed.Kind: Int] = [:]
  private var holders: [RunID: Holder] = [:]

  /// Returns the bytes that the given needs come to.
  func bytes(_ needs: [MemoryNeed]) -> Int {
    needs.reduce(0) { $0 + (measured[$1.kind] ?? $1.load) + $1.growth }
  }

  /// Returns what is promised to other processes and not yet taken.
  func outstanding(except run: RunID) -> Int {
    holders.reduce(0) { sum, holder in
      holder.key == run ? sum : sum + max(0, holder.value.promised - holder.value.occupied)
    }
  }

  /// The processes that can be measured.
  var pids: [RunID: Int32] { holders.compactMapValues(\.pid) }

  /// Returns the processes that hold the most memory, the largest first.
  func largest(_ count: Int) -> [MemoryHolder] {
    holders.filter { $0.value.occupied > 0 }
      .sorted { ($1.value.occupied, $0.key.description) < ($0.value.occupied, $1.key.description) }
      .prefix(count)
      .map { MemoryHolder(run: $0.key, bytes: $0.value.occupied) }
  }

  /// Reserves what a process needs, and what must be started before it.
  mutating func promise(_ run: RunID, _ needs: [MemoryNeed]) {
    holders[run] = Holder(need: needs.count == 1 ? needs[0] : nil, promised: bytes(needs))
  }

  /// Reserves what a process needs out of the reservation of the process that depends on it.
  mutating func promise(_ run: RunID, _ need: MemoryNeed, outOf payer: RunID) {
    promise(run, [need])
    let bytes = bytes([need])
    holders[payer]?.promised -= bytes
  }

  mutating func begin(_ run: RunID, pid: Int32) { holders[run]?.pid = pid }

  /// Records that a process is ready, with the memory measured for its kind.
  ///
  /// - Returns: Whether a process of its kind has been weighed.
  mutating func settle(_ run: RunID) -> Bool {
    guard let need = holders[run]?.need, let bytes = measured[need.kind] else { return false }
    holders[run]?.occupied = bytes
    holders[run]?.promised = bytes + need.growth
    return true
  }

  /// Records what a process has taken by the time it is ready, as an estimate for its kind.
  mutating func weigh(_ run: RunID, _ bytes: Int) {
    guard let need = holders[run]?.need else { return }
    measured[need.kind] = max(measured[need.kind] ?? 0, bytes)
    holders[run]?.occupied = bytes
    holders[run]?.promised = bytes + need.growth
  }

  /// Records a later measurement of a process.
  ///
  /// Memory that it now shares with its forks is not given back, so its figure never drops.
  mutating func note(_ run: RunID, _ bytes: Int) {
    guard let occupied = holders[run]?.occupied else { return }
    holders[run]?.occupied = max(occupied, bytes)
  }

  /// Forgets a process that is gone or was not started.
  mutating func release(_ run: RunID) { holders[run] = nil }
}

/// A process and the memory it shares with no other.
package struct MemoryHolder: Sendable, Equatable {
  package let run: RunID
  package let bytes: Int
}
