import Testing

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A latch` {
  @Test func `that is open does not block`() async {
    let gate = Latch()
    gate.open()
    gate.open()
    #expect(await gate.wait(.zero))
    #expect(await gate.wait(.seconds(600)))
  }

  @Test func `times out while it stays closed`() async {
    #expect(await !Latch().wait(.milliseconds(20)))
  }

  @Test func `releases all waiters`() async {
    let gate = Latch()
    let passed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { await gate.wait(.seconds(600)) } }
      group.addTask {
        gate.open()
        return true
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(passed == 51)
  }

  @Test func `may open while a waiter times out`() async {
    // Opening and expiry race; each waiter is answered exactly once either way.
    for _ in 0..<200 {
      let gate = Latch()
      async let passed = gate.wait(.microseconds(50))
      gate.open()
      _ = await passed
      #expect(await gate.wait(.zero))
    }
  }
}
