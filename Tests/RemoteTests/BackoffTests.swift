import Testing

@testable import Remote

/// How long a request waits, without any server.
@Suite struct `A wait for a server` {
  private let refusal = TemporaryRefusal(CancellationError(), "503")

  private func waits(_ refusal: TemporaryRefusal, chance: Double, _ count: Int) -> [Duration?] {
    var backoff = Backoff()
    return (0..<count).map { _ in
      backoff.next(after: refusal, timeLeft: .seconds(300), chance: chance)
    }
  }

  @Test func `doubles, up to a limit, and is spread by chance`() {
    let milliseconds = [500, 1000, 2000, 4000, 8000, 10000, 10000]
    #expect(waits(refusal, chance: 1, 7) == milliseconds.map { .milliseconds($0) })
    #expect(waits(refusal, chance: 0, 7) == milliseconds.map { .milliseconds($0 / 2) })
  }

  @Test func `is repeated only a few times where the request may be the cause`() {
    let fault = TemporaryRefusal(CancellationError(), "500", mayBeOfRequest: true)
    #expect(waits(fault, chance: 1, 6).map { $0 != nil } == [true, true, true, true, false, false])
  }

  @Test func `leaves the turn the time for a last request`() {
    var backoff = Backoff()
    func next(_ seconds: Double, told: Int? = nil) -> Duration? {
      var refusal = refusal
      refusal.retryAfter = told.map { .seconds($0) }
      return backoff.next(after: refusal, timeLeft: .seconds(seconds), chance: 1)
    }
    #expect(next(1.25) == .milliseconds(250))
    #expect(next(1.1) == nil)
    #expect(next(-3) == nil)
    #expect(next(6, told: 5) == .seconds(5))
    #expect(next(5.5, told: 5) == nil)
    #expect(backoff.count == 2)
    #expect(backoff.waited == .milliseconds(5250))
  }
}
