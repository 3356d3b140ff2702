import Testing

@testable import Outposts

@Suite struct `A lease` {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `runs from when the answered heartbeat was sent, and not from its answer`() {
    var lease = Lease(.seconds(30), from: start)
    let number = lease.beat(at: at(10))
    // The answer was under way for 25 s.
    lease.answer(number)
    #expect(!lease.isOver(at: at(39.9)))
    #expect(lease.isOver(at: at(40)))
  }

  @Test func `is not prolonged by answers to what was never sent, or twice`() {
    var lease = Lease(.seconds(30), from: start)
    let number = lease.beat(at: at(1))
    lease.answer(number + 1)
    lease.answer(-1)
    #expect(lease.isOver(at: at(30)))
    lease.answer(number)
    #expect(!lease.isOver(at: at(30)))
    lease.answer(number)
    #expect(lease.isOver(at: at(31)))
  }

  @Test func `is not shortened by answers that come in another order`() {
    var lease = Lease(.seconds(30), from: start)
    let numbers = (1...3).map { lease.beat(at: at(Double($0))) }
    for number in numbers.reversed() { lease.answer(number) }
    #expect(!lease.isOver(at: at(32.9)))
    #expect(lease.isOver(at: at(33)))
  }
}
