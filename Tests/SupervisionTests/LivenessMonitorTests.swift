import Testing
import Wire

@testable import Supervision

@Suite struct `A liveness monitor` {
  private let timeouts = Roster.Timeouts(
    load: .seconds(10),
    silence: .seconds(6),
    heartbeat: .seconds(2)
  )

  @Test func `pings, and terminates after the silence timeout`() {
    var liveness = LivenessMonitor()
    let decisions = (0..<4).map { _ in evaluate(&liveness, isLoading: false) }
    #expect(decisions == [.ping, .ping, .ping, .terminate(.hung(seconds: 6))])
  }

  @Test func `restarts the timeout with any activity`() {
    var liveness = LivenessMonitor()
    for _ in 0..<100 {
      #expect(evaluate(&liveness, isLoading: false) == .ping)
      #expect(evaluate(&liveness, isLoading: false) == .ping)
      liveness.recordActivity()
    }
  }

  @Test func `does not ping while loading, and terminates after the load timeout`() {
    var liveness = LivenessMonitor()
    for _ in 0..<5 {
      #expect(evaluate(&liveness, isLoading: true) == .wait)
      // Output during loading does not count as readiness.
      liveness.recordActivity()
    }
    #expect(evaluate(&liveness, isLoading: true) == .terminate(.notReady(seconds: 10)))
  }

  @Test func `does not count unread output as silence, and goes on pinging`() {
    var liveness = LivenessMonitor()
    for _ in 0..<10 { #expect(judgeUnheard(&liveness, isLoading: false) == .ping) }
    let decisions = (0..<4).map { _ in evaluate(&liveness, isLoading: false) }
    #expect(decisions == [.ping, .ping, .ping, .terminate(.hung(seconds: 6))])
  }

  @Test func `does not count loading time while output is unread`() {
    var liveness = LivenessMonitor()
    for _ in 0..<10 { #expect(judgeUnheard(&liveness, isLoading: true) == .wait) }
    for _ in 0..<5 { #expect(evaluate(&liveness, isLoading: true) == .wait) }
    #expect(evaluate(&liveness, isLoading: true) == .terminate(.notReady(seconds: 10)))
  }

  @Test(arguments: [true, false])
  func `gives a worker that closed its output one heartbeat to exit`(isLoading: Bool) {
    var liveness = LivenessMonitor()
    liveness.recordEOF()
    #expect(evaluate(&liveness, isLoading: isLoading) == .wait)
    #expect(
      evaluate(&liveness, isLoading: isLoading)
        == .terminate(.breach("a closed output"))
    )
  }

  private func judgeUnheard(_ liveness: inout LivenessMonitor, isLoading: Bool)
    -> LivenessMonitor.Decision
  {
    liveness.evaluate(isLoading: isLoading, isRead: false, timeouts: timeouts)
  }

  private func evaluate(_ liveness: inout LivenessMonitor, isLoading: Bool)
    -> LivenessMonitor.Decision
  {
    liveness.evaluate(isLoading: isLoading, timeouts: timeouts)
  }
}
