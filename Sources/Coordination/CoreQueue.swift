import Wire

/// Who computes now, and who waits for a core.
///
/// A pure value: it decides, and whoever holds it acts. First come, first served; what is computed
/// ahead of its need comes after whatever somebody waits for, and gives way to it.
struct CoreQueue {
  /// What follows from a change.
  enum Step: Equatable {
    /// The process may compute.
    case grant(RunID)
    /// The process computes ahead, and somebody waits for its core.
    case callBack(RunID)
  }

  private struct Waiter {
    let run: RunID
    var isAhead: Bool
  }

  private struct Holder {
    var isAhead: Bool
    var isCalledBack = false
  }

  private(set) var cores: Int
  private var waiting: [Waiter] = []
  private var holders: [RunID: Holder] = [:]

  init(cores: Int) {
    self.cores = max(1, cores)
  }

  /// How many compute.
  var busy: Int { holders.count }

  /// Those that wait, in the order in which they will be served.
  var queue: [RunID] {
    (waiting.filter { !$0.isAhead } + waiting.filter(\.isAhead)).map(\.run)
  }

  func isHeld(by run: RunID) -> Bool { holders[run] != nil }

  /// A process wants to compute; one that asks twice has one place.
  mutating func ask(_ run: RunID, isAhead: Bool) -> [Step] {
    guard holders[run] == nil, !waiting.contains(where: { $0.run == run }) else { return [] }
    waiting.append(Waiter(run: run, isAhead: isAhead))
    return settle()
  }

  /// A process gives its core back, or does not want one any more, or is gone.
  mutating func giveBack(_ run: RunID) -> [Step] {
    waiting.removeAll { $0.run == run }
    holders[run] = nil
    return settle()
  }

  /// Somebody waits for what a process computes, which was ahead of its need.
  mutating func raise(_ run: RunID) -> [Step] {
    if let index = waiting.firstIndex(where: { $0.run == run }) { waiting[index].isAhead = false }
    holders[run]?.isAhead = false
    return settle()
  }

  /// The machine, or what of it may be used, has changed.
  mutating func resize(to cores: Int) -> [Step] {
    self.cores = max(1, cores)
    return settle()
  }

  private mutating func settle() -> [Step] {
    var steps: [Step] = []
    while holders.count < cores, let next = queue.first,
      let index = waiting.firstIndex(where: { $0.run == next })
    {
      holders[next] = Holder(isAhead: waiting.remove(at: index).isAhead)
      steps.append(.grant(next))
    }
    // One core for each that waits, and not more: a prefill that is broken off has to be begun again.
    let pressing = waiting.count { !$0.isAhead } - holders.values.count(where: \.isCalledBack)
    let yielding = holders.filter { $0.value.isAhead && !$0.value.isCalledBack }.map(\.key)
    for run in yielding.prefix(max(0, pressing)) {
      holders[run]?.isCalledBack = true
      steps.append(.callBack(run))
    }
    return steps
  }
}
