import Testing
import Wire

@testable import Coordination

@Suite struct `The queue for cores` {
  private let runs = (0..<8).map { RunID("run-\($0)") }

  @Test func `serves as many as there are cores, and then those that came first`() {
    var queue = CoreQueue(cores: 2)
    #expect(queue.ask(runs[0], isAhead: false) == [.grant(runs[0])])
    #expect(queue.ask(runs[1], isAhead: false) == [.grant(runs[1])])
    for run in runs[2...4] { #expect(queue.ask(run, isAhead: false) == []) }
    #expect(queue.queue == Array(runs[2...4]))
    #expect(queue.giveBack(runs[1]) == [.grant(runs[2])])
    #expect(queue.giveBack(runs[0]) == [.grant(runs[3])])
    #expect(queue.queue == [runs[4]])
  }

  @Test func `forgets whoever does not want a core any more, wherever it stands`() {
    var queue = CoreQueue(cores: 1)
    for run in runs[0...2] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.giveBack(runs[0]) == [.grant(runs[2])])
    // What is given back twice, or was never there, changes nothing.
    #expect(queue.giveBack(runs[0]) == [])
    #expect(queue.giveBack(runs[7]) == [])
    #expect(queue.isHeld(by: runs[2]))
  }

  @Test func `has one place for one that asks twice`() {
    var queue = CoreQueue(cores: 1)
    for run in [runs[0], runs[0], runs[1], runs[1]] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.queue == [runs[1]])
    #expect(queue.giveBack(runs[0]) == [.grant(runs[1])])
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.busy == 0)
  }

  @Test func `puts what is computed ahead behind what somebody waits for`() {
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
    // One more that is ahead itself is nobody's hurry.
    #expect(queue.ask(runs[2], isAhead: true) == [])
    let steps = queue.ask(runs[3], isAhead: false)
    #expect([[.callBack(runs[0])], [.callBack(runs[1])]].contains(steps))
    #expect(queue.raise(runs[2]).count == 1, "the other one is called back too")
    #expect(queue.ask(runs[4], isAhead: false) == [], "and nobody is left to be called back")
    #expect(queue.giveBack(runs[0]) == [.grant(runs[2])])
    #expect(queue.giveBack(runs[1]) == [.grant(runs[3])])
  }

  @Test func `does not call back what somebody waits for by now`() {
    var queue = CoreQueue(cores: 1)
    _ = queue.ask(runs[0], isAhead: true)
    #expect(queue.raise(runs[0]) == [])
    #expect(queue.ask(runs[1], isAhead: false) == [])
  }

  @Test func `follows the machine`() {
    var queue = CoreQueue(cores: 0)
    for run in runs[0...3] { _ = queue.ask(run, isAhead: false) }
    #expect(queue.busy == 1, "there is always one core")
    #expect(queue.resize(to: 3) == [.grant(runs[1]), .grant(runs[2])])
    #expect(queue.resize(to: 1) == [])
    #expect(queue.giveBack(runs[0]) == [])
    #expect(queue.giveBack(runs[1]) == [])
    #expect(queue.giveBack(runs[2]) == [.grant(runs[3])])
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `never lets more compute than there are cores, and serves everybody`(seed: UInt64) {
    var chance = Chance(seed: seed)
    var queue = CoreQueue(cores: chance.below(3) + 1)
    var granted: Set<RunID> = []
    var wanting: Set<RunID> = []
    func follow(_ steps: [CoreQueue.Step]) {
      for case .grant(let run) in steps {
        #expect(wanting.contains(run), "nobody is served who does not wait")
        wanting.remove(run)
        granted.insert(run)
      }
      #expect(granted.count <= queue.cores)
      #expect(wanting.isEmpty || granted.count == queue.cores, "no core is idle while one waits")
      #expect(Set(queue.queue) == wanting)
    }
    for _ in 0..<300 {
      let run = runs[chance.below(runs.count)]
      switch chance.below(5) {
      case 0, 1:
        if !granted.contains(run) { wanting.insert(run) }
        follow(queue.ask(run, isAhead: chance.below(2) == 0))
      case 2, 3:
        wanting.remove(run)
        granted.remove(run)
        follow(queue.giveBack(run))
      default: follow(queue.raise(run))
      }
    }
    while let run = granted.first {
      granted.remove(run)
      follow(queue.giveBack(run))
    }
    #expect(wanting.isEmpty)
  }
}

/// Numbers that are the same in every run of a test.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }
}
