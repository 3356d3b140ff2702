import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite struct `The queue for cores` {
  private let runs = (0..<8).map { RunID("run-\($0)") }

  @Test func `gives all cores to one, and shares them out when others come`() {
    var queue = CoreQueue(cores: 4)
    #expect(queue.ask(runs[0], isAhead: false) == [.grant(runs[0], number: 1, count: 4)])
    #expect(queue.ask(runs[1], isAhead: false) == [.grant(runs[0], number: 2, count: 2)])
    #expect(queue.queue == [runs[1]], "until the first one has heard")
    #expect(queue.adopt(runs[0], grant: 2) == [.grant(runs[1], number: 1, count: 2)])
    #expect(
      queue.ask(runs[2], isAhead: false) == [.grant(runs[1], number: 2, count: 1)]
    )
    #expect(queue.adopt(runs[1], grant: 2) == [.grant(runs[2], number: 1, count: 1)])
    #expect(queue.giveBack(runs[0]) == [.grant(runs[1], number: 3, count: 2), .two(runs[2])])
    #expect(queue.busy == 4)
    #expect(queue.giveBack(runs[1]) == [.grant(runs[2], number: 3, count: 4)])
  }

  @Test func `serves as many as there are cores, and then those that came first`() {
    var queue = CoreQueue(cores: 2)
    _ = queue.ask(runs[0], isAhead: false)
    _ = queue.ask(runs[1], isAhead: false)
    #expect(queue.adopt(runs[0], grant: 2) == [.one(runs[1])])
    for run in runs[2...4] { #expect(queue.ask(run, isAhead: false) == []) }
    #expect(queue.queue == Array(runs[2...4]))
    #expect(queue.giveBack(runs[1]) == [.one(runs[2])])
    #expect(queue.giveBack(runs[0]) == [.one(runs[3])])
    #expect(queue.queue == [runs[4]])
  }

  @Test func `counts what was told before until it is left`() {
    var queue = CoreQueue(cores: 2)
    _ = queue.ask(runs[0], isAhead: false)
    #expect(queue.ask(runs[1], isAhead: false) == [.grant(runs[0], number: 2, count: 1)])
    #expect(queue.giveBack(runs[1]) == [.grant(runs[0], number: 3, count: 2)])
    #expect(queue.ask(runs[1], isAhead: false) == [.grant(runs[0], number: 4, count: 1)])
    // A reply to an outdated grant, and one from a run that never asked.
    #expect(queue.adopt(runs[0], grant: 2) == [])
    #expect(queue.adopt(runs[5], grant: 1) == [])
    #expect(queue.adopt(runs[0], grant: 4) == [.one(runs[1])])
  }

  @Test func `forgets a run that does not want a core any more, wherever it stands`() {
    var queue = CoreQueue(cores: 1)
    for run in runs[0...2] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.giveBack(runs[0]) == [.one(runs[2])])
    // Giving cores back twice, or without holding any, changes nothing.
    #expect(queue.giveBack(runs[0]) == [])
    #expect(queue.giveBack(runs[7]) == [])
    #expect(queue.isHeld(by: runs[2]))
  }

  @Test func `has one place for one that asks twice`() {
    var queue = CoreQueue(cores: 1)
    for run in [runs[0], runs[0], runs[1], runs[1]] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.queue == [runs[1]])
    #expect(queue.giveBack(runs[0]) == [.one(runs[1])])
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.busy == 0)
  }

  @Test func `puts what is computed ahead behind what is waited for`() {
    var queue = CoreQueue(cores: 1)
    for (run, isAhead) in zip(runs, [false, true, true, false]) {
      _ = queue.ask(run, isAhead: isAhead)
    }
    #expect(queue.queue == [runs[3], runs[1], runs[2]])
    #expect(queue.raise(runs[2]) == [])
    #expect(queue.queue == [runs[2], runs[3], runs[1]])
  }

  @Test func `calls back what is computed ahead, one for each that waits`() {
    var queue = CoreQueue(cores: 2)
    for run in runs[0...1] { _ = queue.ask(run, isAhead: true) }
    #expect(queue.adopt(runs[0], grant: 2) == [.one(runs[1])])
    // Another request that is ahead itself is not urgent.
    #expect(queue.ask(runs[2], isAhead: true) == [])
    #expect(queue.ask(runs[3], isAhead: false) == [.callBack(runs[1])])
    #expect(queue.raise(runs[2]) == [.callBack(runs[0])], "the other one is called back too")
    #expect(queue.ask(runs[4], isAhead: false) == [], "and none is left to be called back")
    #expect(queue.giveBack(runs[0]) == [.one(runs[2])])
    #expect(queue.giveBack(runs[1]) == [.one(runs[3])])
  }

  @Test func `does not call back what is waited for by now`() {
    var queue = CoreQueue(cores: 1)
    _ = queue.ask(runs[0], isAhead: true)
    #expect(queue.raise(runs[0]) == [])
    #expect(queue.ask(runs[1], isAhead: false) == [])
  }

  @Test func `leaves one core to what is computed ahead, where nothing waits for it`() {
    var queue = CoreQueue(cores: 4)
    #expect(queue.ask(runs[0], isAhead: true) == [.grant(runs[0], number: 1, count: 4)])
    #expect(queue.ask(runs[1], isAhead: false) == [.one(runs[0], number: 2)])
    #expect(queue.adopt(runs[0], grant: 2) == [.grant(runs[1], number: 1, count: 3)])
    #expect(queue.giveBack(runs[0]) == [.grant(runs[1], number: 2, count: 4)])
    // The computing run gives up no more than one core.
    #expect(queue.ask(runs[0], isAhead: true) == [.grant(runs[1], number: 3, count: 3)])
  }

  @Test func `follows the machine`() {
    var queue = CoreQueue(cores: 0)
    for run in runs[0...3] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.busy == 1, "there is always one core")
    #expect(queue.resize(to: 3) == [.one(runs[1]), .one(runs[2])])
    #expect(queue.resize(to: 1) == [])
    #expect(queue.giveBack(runs[0]) == [])
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.giveBack(runs[2]) == [.one(runs[3])])
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `never lets more cores be computed on than there are, and serves every run`(seed: UInt64) {
    var random = Seeded(seed)
    var queue = CoreQueue(cores: random.below(5) + 1)
    var told: [RunID: (number: Int, count: Int)] = [:]
    // The cores that each run really uses; it learns of a change with a delay.
    var used: [RunID: Int] = [:]
    var calledBack: Set<RunID> = []
    var wanting: Set<RunID> = []
    func follow(_ steps: [CoreQueue.Step]) {
      for step in steps {
        switch step {
        case .grant(let run, let number, let count):
          if wanting.remove(run) != nil {
            #expect(used[run] == nil)
            used[run] = count
          }
          #expect(used[run] != nil, "a run is served that does not wait")
          #expect(count >= 1)
          told[run] = (number, count)
        case .callBack(let run): calledBack.insert(run)
        }
      }
      #expect(used.values.reduce(0, +) <= queue.cores)
      #expect(Set(queue.queue) == wanting)
    }
    func giveBack(_ run: RunID) {
      (used[run], told[run]) = (nil, nil)
      wanting.remove(run)
      calledBack.remove(run)
      follow(queue.giveBack(run))
    }
    func hear(_ run: RunID) {
      guard let (number, count) = told[run] else { return }
      used[run] = count
      follow(queue.adopt(run, grant: number))
    }
    for _ in 0..<400 {
      let run = runs[random.below(runs.count)]
      switch random.below(7) {
      case 0, 1:
        if used[run] == nil { wanting.insert(run) }
        follow(queue.ask(run, isAhead: random.below(2) == 0))
      case 2, 3: giveBack(run)
      case 4, 5: hear(run)
      default: follow(queue.raise(run))
      }
    }
    // Once every run has heard of its grants, no usable core is idle.
    for run in calledBack { giveBack(run) }
    for _ in 0..<runs.count { for run in runs { hear(run) } }
    if !used.isEmpty { #expect(used.values.reduce(0, +) == queue.cores) }
    while let run = used.keys.first { giveBack(run) }
    #expect(wanting.isEmpty)
  }
}

extension CoreQueue.Step {
  /// Grants one core.
  fileprivate static func one(_ run: RunID, number: Int = 1) -> Self {
    .grant(run, number: number, count: 1)
  }

  /// Grants a second core after the first.
  fileprivate static func two(_ run: RunID) -> Self { .grant(run, number: 2, count: 2) }
}
