import Testing

@testable import Supervision

@Suite struct `A restart budget` {
  private let start = ContinuousClock.now

  @Test func `allows five failures within its window`() {
    var budget = RestartBudget()
    for second in 0..<RestartBudget().failures {
      #expect(budget.allows(at: start + .seconds(second)))
      budget.recordFailure(at: start + .seconds(second))
    }
    #expect(!budget.allows(at: start + .seconds(6)))
    #expect(!budget.allows(at: start + .seconds(59)))
  }

  @Test func `recovers when the failures are older than the window`() {
    var budget = RestartBudget()
    for second in 0..<RestartBudget().failures {
      budget.recordFailure(at: start + .seconds(second))
    }
    #expect(budget.allows(at: start + .seconds(60)))
    #expect(!budget.isUnused(at: start + .seconds(63)))
    #expect(budget.isUnused(at: start + .seconds(64)))
  }

  @Test func `is not exhausted by failures that are far apart`() {
    var budget = RestartBudget()
    for minute in 0..<100 {
      let now = start + .seconds(20 * minute)
      #expect(budget.allows(at: now))
      budget.recordFailure(at: now)
    }
  }
}
