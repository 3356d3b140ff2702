package import Wire

/// What the processes of this coordinator have of the memory, and what they may still take.
///
/// A pure value. What a process has taken is missing in what the system calls free already; what it
/// may take beyond that is kept for it here.
struct MemoryLedger {
  private struct Holder {
    var need: MemoryNeed?
    var promised: Int
    var occupied = 0
    var pid: Int32?
  }

  /// What processes of a kind had taken when they were ready, at the most.
  private var measured: [MemoryNeed.Kind: Int] = [:]
  private var holders: [RunID: Holder] = [:]

  /// Bytes that processes need together.
  func bytes(_ needs: [MemoryNeed]) -> Int {
    needs.reduce(0) { $0 + (measured[$1.kind] ?? $1.load) + $1.growth }
  }

  /// What was promised to others than this one, and is not taken yet.
  func outstanding(except run: RunID) -> Int {
    holders.reduce(0) { sum, holder in
      holder.key == run ? sum : sum + max(0, holder.value.promised - holder.value.occupied)
    }
  }

  /// The processes that can be measured.
  var pids: [RunID: Int32] { holders.compactMapValues(\.pid) }

  /// The processes that have the most, the largest first.
  func largest(_ count: Int) -> [MemoryHolder] {
    holders.filter { $0.value.occupied > 0 }
      .sorted { ($1.value.occupied, $0.key.description) < ($0.value.occupied, $1.key.description) }
      .prefix(count)
      .map { MemoryHolder(run: $0.key, bytes: $0.value.occupied) }
  }

  /// Keeps what a process needs for it, and for those that have to be there before it.
  mutating func promise(_ run: RunID, _ needs: [MemoryNeed]) {
    holders[run] = Holder(need: needs.count == 1 ? needs[0] : nil, promised: bytes(needs))
  }

  /// Keeps what a process needs for it, out of what was kept for the one that it has to be there for.
  mutating func promise(_ run: RunID, _ need: MemoryNeed, outOf payer: RunID) {
    promise(run, [need])
    let bytes = bytes([need])
    holders[payer]?.promised -= bytes
  }

  mutating func begin(_ run: RunID, pid: Int32) { holders[run]?.pid = pid }

  /// A process is ready; it has what others of its kind had.
  /// - Returns: Whether one of them has been weighed.
  mutating func settle(_ run: RunID) -> Bool {
    guard let need = holders[run]?.need, let bytes = measured[need.kind] else { return false }
    holders[run]?.occupied = bytes
    holders[run]?.promised = bytes + need.growth
    return true
  }

  /// A process is ready, and has taken so much: so will others of its kind.
  mutating func weigh(_ run: RunID, _ bytes: Int) {
    guard let need = holders[run]?.need else { return }
    measured[need.kind] = max(measured[need.kind] ?? 0, bytes)
    holders[run]?.occupied = bytes
    holders[run]?.promised = bytes + need.growth
  }

  /// A process was found to have so much.
  ///
  /// What it shares with its forks is not given back by that, so it never has less than it had.
  mutating func note(_ run: RunID, _ bytes: Int) {
    guard let occupied = holders[run]?.occupied else { return }
    holders[run]?.occupied = max(occupied, bytes)
  }

  /// A process is gone, or was not started.
  mutating func release(_ run: RunID) { holders[run] = nil }
}

/// A process, and what of the memory it shares with no other.
package struct MemoryHolder: Sendable, Equatable {
  package let run: RunID
  package let bytes: Int
}
