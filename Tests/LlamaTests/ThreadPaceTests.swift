import Testing

@testable import Llama

@Suite struct `The number of threads` {
  private let start = ContinuousClock.now

  @Test func `is that of the cores while no other process computes`() {
    var pace = ThreadPace()
    for second in 0..<100 {
      #expect(pace.count(upTo: 4, at: start + .seconds(second)) == 4)
      pace.note(.lasting(100, cores: 3.8), on: 4, at: start + .seconds(second))
    }
    #expect(pace.count(upTo: 0, at: start) == 1)
  }

  @Test func `falls when cores are lost, and comes back`() {
    var pace = ThreadPace()
    pace.note(.lasting(100, cores: 2.8), on: 4, at: start)
    #expect(pace.count(upTo: 4, at: start) == 2)
    #expect(pace.count(upTo: 1, at: start) == 1)
    #expect(pace.count(upTo: 4, at: start + .milliseconds(125)) == 4)
  }

  @Test func `stays low for longer, the more often that is in vain`() {
    var pace = ThreadPace()
    var now = start
    for pause in [125, 250, 500, 1000, 2000, 4000, 8000, 16_000, 16_000] {
      pace.note(.lasting(100, cores: 1.2), on: 2, at: now)
      now += .milliseconds(pause - 1)
      #expect(pace.count(upTo: 2, at: now) == 1, "after \(pause) ms")
      now += .milliseconds(1)
      #expect(pace.count(upTo: 2, at: now) == 2)
    }
    pace.note(.lasting(100, cores: 1.9), on: 2, at: now)
    pace.note(.lasting(100, cores: 1.2), on: 2, at: now)
    #expect(pace.count(upTo: 2, at: now + .milliseconds(125)) == 2, "it went well in between")
  }

  @Test func `does not fall for what a short step seems to lose`() {
    var pace = ThreadPace()
    for _ in 0..<9 { pace.note(.lasting(2, cores: 1), on: 2, at: start) }
    #expect(pace.count(upTo: 2, at: start) == 2)
    pace.note(.lasting(2, cores: 1), on: 2, at: start)
    #expect(pace.count(upTo: 2, at: start) == 1, "all of them are another thing")
  }
}

extension ProcessTime {
  fileprivate static func lasting(_ milliseconds: Int, cores: Double) -> ProcessTime {
    ProcessTime(wall: .milliseconds(milliseconds), cpu: .milliseconds(milliseconds) * cores)
  }
}
