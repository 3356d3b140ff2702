import Wire

/// Decides who computes, on how many cores, and who waits for one.
///
/// A pure value: it decides, and its owner acts. Cores are shared evenly among all processes that
/// want to compute; when there are fewer cores than processes, each gets one, first come, first
/// served. Work done ahead of need gets what no other process wants, and gives way.
struct CoreQueue {
  /// An action that follows from a change.
  enum Step: Equatable {
    /// The process may compute, from now on with this many cores.
    case grant(RunID, number: Int, count: Int)
    /// The process computes ahead of need and must yield, because another waits for its core.
    case callBack(RunID)
  }

  private struct Waiter {
    let run: RunID
    var isAhead: Bool
  }

  private struct Holder {
    let run: RunID
    var isAhead: Bool
    var isCalledBack = false
    /// The number of the latest grant.
    var number = 0
    /// How many cores the latest grant allowed.
    var told = 0
    /// How many cores it may be using; a larger grant counts until a smaller one is adopted.
    var used = 0
  }

  private(set) var cores: Int
  private var waiting: [Waiter] = []
  /// The processes that compute, in the order in which they began.
  private var holders: [Holder] = []

  init(cores: Int) {
    self.cores = max(1, cores)
  }

  var busy: Int { holders.reduce(0) { $0 + $1.used } }

  /// The waiting processes, in the order in which they will be served.
  var queue: [RunID] {
    (waiting.filter { !$0.isAhead } + waiting.filter(\.isAhead)).map(\.run)
  }

  /// The processes among these steps that were told to use fewer cores and have not confirmed it,
  /// with the grant that told them; those that were called back have none.
  func reluctant(among steps: [Step]) -> [(run: RunID, number: Int?)] {
    steps.compactMap { step in
      switch step {
      case .grant(let run, let number, _):
        holders.contains { $0.run == run && $0.used > $0.told } ? (run, number) : nil
      case .callBack(let run): (run, nil)
      }
    }
  }

  func isCalledBack(_ run: RunID) -> Bool {
    holders.contains { $0.run == run && $0.isCalledBack }
  }

  func isHeld(by run: RunID) -> Bool { holders.contains { $0.run == run } }

  /// Handles a process that wants to compute; one that asks twice gets one place.
  mutating func ask(_ run: RunID, isAhead: Bool) -> [Step] {
    guard !isHeld(by: run), !waiting.contains(where: { $0.run == run }) else { return [] }
    waiting.append(Waiter(run: run, isAhead: isAhead))
    return settle()
  }

  /// Handles a process that confirms a grant: it uses no more cores than that grant allows.
  mutating func adopt(_ run: RunID, grant number: Int) -> [Step] {
    guard let index = holders.firstIndex(where: { $0.run == run && $0.number == number }) else {
      return []
    }
    holders[index].used = holders[index].told
    return settle()
  }

  /// Handles a process that returns its cores, no longer wants one, or is gone.
  mutating func giveBack(_ run: RunID) -> [Step] {
    waiting.removeAll { $0.run == run }
    holders.removeAll { $0.run == run }
    return settle()
  }

  /// Handles a process that computes ahead of need and whose result is now awaited.
  mutating func raise(_ run: RunID) -> [Step] {
    for index in waiting.indices where waiting[index].run == run { waiting[index].isAhead = false }
    for index in holders.indices where holders[index].run == run { holders[index].isAhead = false }
    return settle()
  }

  /// Changes the number of usable cores.
  mutating func resize(to cores: Int) -> [Step] {
    self.cores = max(1, cores)
    return settle()
  }

  private mutating func settle() -> [Step] {
    let shares = shares()
    return callBack(shares) + shrink(to: shares) + begin(shares) + grow(to: shares)
  }

  /// How many cores each process should have once all of them know.
  private func shares() -> [RunID: Int] {
    let staying = holders.filter { !$0.isCalledBack }
    let pressing =
      staying.filter { !$0.isAhead }.map(\.run) + waiting.filter { !$0.isAhead }.map(\.run)
    let ahead = staying.filter(\.isAhead).map(\.run) + waiting.filter(\.isAhead).map(\.run)
    let first = pressing.prefix(cores)
    // One core each for work ahead of need, or all cores if no process is in a hurry.
    let second = ahead.prefix(cores - first.count)
    var shares = Dictionary(uniqueKeysWithValues: second.map { ($0, 1) })
    let sharing = first.isEmpty ? second : first
    let rest = cores - (first.isEmpty ? 0 : second.count)
    for (index, run) in sharing.enumerated() {
      shares[run] = rest / sharing.count + (index < rest % sharing.count ? 1 : 0)
    }
    return shares
  }

  private mutating func callBack(_ shares: [RunID: Int]) -> [Step] {
    var steps: [Step] = []
    // Only as many as needed: an interrupted prefill has to start again.
    for index in holders.indices
    where holders[index].isAhead && !holders[index].isCalledBack
      && shares[holders[index].run] == nil
    {
      holders[index].isCalledBack = true
      steps.append(.callBack(holders[index].run))
    }
    return steps
  }

  private mutating func shrink(to shares: [RunID: Int]) -> [Step] {
    holders.indices.compactMap { index in
      guard !holders[index].isCalledBack, let share = shares[holders[index].run],
        share < holders[index].told
      else { return nil }
      return tell(index, share)
    }
  }

  private mutating func begin(_ shares: [RunID: Int]) -> [Step] {
    var steps: [Step] = []
    for run in queue {
      guard busy < cores, let share = shares[run],
        let place = waiting.firstIndex(where: { $0.run == run })
      else { break }
      let count = min(share, cores - busy)
      holders.append(Holder(run: run, isAhead: waiting.remove(at: place).isAhead))
      steps.append(tell(holders.count - 1, count))
    }
    return steps
  }

  private mutating func grow(to shares: [RunID: Int]) -> [Step] {
    holders.indices.compactMap { index in
      let holder = holders[index]
      guard !holder.isCalledBack, let share = shares[holder.run] else { return nil }
      let count = min(share, holder.used + max(0, cores - busy))
      return count > holder.told ? tell(index, count) : nil
    }
  }

  private mutating func tell(_ index: Int, _ count: Int) -> Step {
    holders[index].number += 1
    holders[index].told = count
    holders[index].used = max(holders[index].used, count)
    return .grant(holders[index].run, number: holders[index].number, count: count)
  }
}
