import AgentKit
import Coordination
import Testing
import Wire

@testable import Coordinator

@Suite struct `Backpressure of text` {
  @Test func `admits all text that is read`() {
    var backpressure = TextBackpressure()
    for _ in 0..<1000 {
      let isAdmitted = backpressure.admits(text("a", bytes: 100_000))
      #expect(isAdmitted)
      backpressure.recordRead(text("a", bytes: 100_000))
    }
  }

  @Test func `leaves out unread text, up to the end of the entry`() {
    var backpressure = TextBackpressure()
    var admitted = 0
    while backpressure.admits(text("a", bytes: 100_000)), admitted < 1000 { admitted += 1 }
    #expect((1..<1000).contains(admitted))
    // There is room again, but later changes would build on one that was left out.
    for _ in 0..<admitted { backpressure.recordRead(text("a", bytes: 100_000)) }
    let isAdmitted = backpressure.admits(text("a", bytes: 1))
    #expect(!isAdmitted)
    let isNextAdmitted = backpressure.admits(text("b", bytes: 1))
    #expect(isNextAdmitted)
  }

  @Test func `counts short pieces, too`() {
    var backpressure = TextBackpressure()
    var admitted = 0
    while backpressure.admits(text("a", bytes: 0)), admitted < 1_000_000 { admitted += 1 }
    #expect(admitted < 1_000_000)
  }

  @Test func `leaves out nothing else`() {
    var backpressure = TextBackpressure()
    var admitted = 0
    while backpressure.admits(text("a", bytes: 100_000)), admitted < 1000 { admitted += 1 }
    #expect(admitted < 1000)
    let isAdmitted = backpressure.admits(.trouble("no"))
    #expect(isAdmitted)
    let isAnswerAdmitted = backpressure.admits(.answered(agent: "a", text: "The whole."))
    #expect(isAnswerAdmitted)
  }

  private func text(_ entry: String, bytes: Int) -> TurnEvent {
    .text(
      agent: "a",
      TextChange(
        entryID: entry,
        isReasoning: false,
        keptBytes: 0,
        added: String(repeating: "x", count: bytes)
      )
    )
  }
}
