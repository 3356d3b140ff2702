import Testing
import Wire

@Suite struct `The last words of a worker` {
  private static let log = [
    "half a thought", "worker: turn 2: 0 entries known", "", "2  libc 0x7f",
  ]

  @Test func `are none of its own lines where it was ended from outside`() {
    for cause in [Death.Cause.signaled(9), .hung(seconds: 5), .notReady(seconds: 5)] {
      #expect(Death(cause: cause, lastLines: Self.log).lastWords == "half a thought")
    }
    let own = Death(cause: .signaled(9), lastLines: ["worker: ready"])
    #expect(own.lastWords == nil)
  }

  @Test func `are its own line where it ended by itself`() {
    for cause in [Death.Cause.farewell(.unable), .exited(code: 1)] {
      let death = Death(cause: cause, lastLines: Self.log)
      #expect(death.lastWords == "worker: turn 2: 0 entries known")
    }
  }

  @Test func `are what Swift says of a trap, whatever follows`() {
    let lines = ["a.swift:1: Fatal error: no pot", "half a thought", "worker: ready"]
    #expect(Death(cause: .signaled(4), lastLines: lines).lastWords == lines[0])
  }
}
