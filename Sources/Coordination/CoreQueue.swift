import Wire

/// Who computes now, on how many cores, and who waits for one.
///
/// A pure value: it decides, and whoever holds it acts. Cores are shared out evenly among all that
/// want to compute; when there are fewer cores than processes each has one, first come, first served.
/// What is computed ahead of its need gets what nobody else wants, and gives way.
struct CoreQueue {
  /// What follows from a change.
  enum Step: Equatable {
    /// The process may compute, from now on on so many cores.
    case grant(RunID, number: Int, count: Int)
    /// The process computes ahead, and somebody waits for its core.
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
    /// The number of what it was told last.
    var number = 0
    /// How many cores it was told last.
    var told = 0
    /// How many it may be using: what it was told before counts until it has heard of less.
    var used = 0
  }

  private(set) var cores: Int
  private var waiting: [Waiter] = []
  /// In the order in which they began.
  private var holders: [Holder] = []

  init(cores: Int) {
    self.cores = max(1, cores)
  }

  /// How many cores are computed on.
  var busy: Int { holders.reduce(0) { $0 + $1.used } }

  /// Those that wait, in the order in which they will be served.
  var queue: [RunID] {
    (waiting.filter { !$0.isAhead } + waiting.filter(\.isAhead)).map(\.run)
  }

  /// Whoever of these was told to compute on fewer cores, and has yet to say that it does.
  func reluctant(among steps: [Step]) -> [(run: RunID, number: Int)] {
    steps.compactMap { step in
      guard case .grant(let run, let number, _) = step,
        holders.contains(where: { $0.run == run && $0.used > $0.told })
      else { return nil }
      return (run, number)
    }
  }

  func isHeld(by run: RunID) -> Bool { holders.contains { $0.run == run } }

  /// A process wants to compute; one that asks twice has one place.
  mutating func ask(_ run: RunID, isAhead: Bool) -> [Step] {
    guard !isHeld(by: run), !waiting.contains(where: { $0.run == run }) else { return [] }
    waiting.append(Waiter(run: run, isAhead: isAhead))
    return settle()
  }

  /// A process computes on no more cores than the grant of this number says.
  mutating func adopt(_ run: RunID, grant number: Int) -> [Step] {
    guard let index = holders.firstIndex(where: { $0.run == run && $0.number == number }) else {
      return []
    }
    holders[index].used = holders[index].told
    return settle()
  }

  /// A process gives its cores back, or does not want one any more, or is gone.
  mutating func giveBack(_ run: RunID) -> [Step] {
    waiting.removeAll { $0.run == run }
    holders.removeAll { $0.run == run }
    return settle()
  }

  /// Somebody waits for what a process computes, which was ahead of its need.
  mutating func raise(_ run: RunID) -> [Step] {
    for index in waiting.indices where waiting[index].run == run { waiting[index].isAhead = false }
    for index in holders.indices where holders[index].run == run { holders[index].isAhead = false }
    return settle()
  }

  /// The machine, or what of it may be used, has changed.
  mutating func resize(to cores: Int) -> [Step] {
    self.cores = max(1, cores)
    return settle()
  }

  private mutating func settle() -> [Step] {
    let shares = shares()
    return callBack(shares) + shrink(to: shares) + begin(shares) + grow(to: shares)
  }

  /// How many cores each should have, once all of them have heard of it.
  private func shares() -> [RunID: Int] {
    let staying = holders.filter { !$0.isCalledBack }
    let pressing =
      staying.filter { !$0.isAhead }.map(\.run) + waiting.filter { !$0.isAhead }.map(\.run)
    let ahead = staying.filter(\.isAhead).map(\.run) + waiting.filter(\.isAhead).map(\.run)
    let first = pressing.prefix(cores)
    // One for each that is computed ahead, or all where nobody is in a hurry.
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
    // One core for each that waits, and not more: a prefill that is broken off has to be begun again.
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
