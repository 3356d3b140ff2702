import Testing
import Wire

@testable import Supervision

@Suite struct `The vigil` {
  private let patience = Roster.Patience(
    load: .seconds(10),
    silence: .seconds(6),
    heartbeat: .seconds(2)
  )

  @Test func `asks again and again, and condemns after so many unanswered questions`() {
    var vigil = Vigil()
    let verdicts = (0..<4).map { _ in judge(&vigil, isLoading: false) }
    #expect(verdicts == [.ask, .ask, .ask, .condemn(.hung(seconds: 6))])
  }

  @Test func `begins anew with everything that is heard`() {
    var vigil = Vigil()
    for _ in 0..<100 {
      #expect(judge(&vigil, isLoading: false) == .ask)
      #expect(judge(&vigil, isLoading: false) == .ask)
      vigil.hear()
    }
  }

  @Test func `asks nothing of a worker that loads, and condemns one that loads for too long`() {
    var vigil = Vigil()
    for _ in 0..<5 {
      #expect(judge(&vigil, isLoading: true) == .wait)
      // Output during loading does not count as readiness.
      vigil.hear()
    }
    #expect(judge(&vigil, isLoading: true) == .condemn(.notReady(seconds: 10)))
  }

  @Test func `counts nothing as silence that could not be heard, and asks on`() {
    var vigil = Vigil()
    for _ in 0..<10 { #expect(judgeUnheard(&vigil, isLoading: false) == .ask) }
    let verdicts = (0..<4).map { _ in judge(&vigil, isLoading: false) }
    #expect(verdicts == [.ask, .ask, .ask, .condemn(.hung(seconds: 6))])
  }

  @Test func `counts no time of loading in which nothing could be heard`() {
    var vigil = Vigil()
    for _ in 0..<10 { #expect(judgeUnheard(&vigil, isLoading: true) == .wait) }
    for _ in 0..<5 { #expect(judge(&vigil, isLoading: true) == .wait) }
    #expect(judge(&vigil, isLoading: true) == .condemn(.notReady(seconds: 10)))
  }

  @Test(arguments: [true, false])
  func `gives a worker that closed its output one heartbeat to end`(isLoading: Bool) {
    var vigil = Vigil()
    vigil.hearNoMore()
    #expect(judge(&vigil, isLoading: isLoading) == .wait)
    #expect(
      judge(&vigil, isLoading: isLoading)
        == .condemn(.breach("a closed output"))
    )
  }

  private func judgeUnheard(_ vigil: inout Vigil, isLoading: Bool) -> Vigil.Verdict {
    vigil.judge(isLoading: isLoading, isHeard: false, patience: patience)
  }

  private func judge(_ vigil: inout Vigil, isLoading: Bool) -> Vigil.Verdict {
    vigil.judge(isLoading: isLoading, patience: patience)
  }
}
