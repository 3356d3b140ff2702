import Coordination
import Testing
import Wire

@testable import Inspection

@Suite struct `A valve for text` {
  @Test func `lets all through that is read`() {
    let valve = TextValve()
    for _ in 0..<1000 {
      #expect(valve.admits(text("a", bytes: 100_000)))
      valve.read(.event(text("a", bytes: 100_000)))
    }
  }

  @Test func `leaves out what nobody reads, up to the end of the entry`() {
    let valve = TextValve()
    var admitted = 0
    while valve.admits(text("a", bytes: 100_000)), admitted < 1000 { admitted += 1 }
    #expect((1..<1000).contains(admitted))
    // There is room again, but later changes would build on one that was left out.
    for _ in 0..<admitted { valve.read(.event(text("a", bytes: 100_000))) }
    #expect(!valve.admits(text("a", bytes: 1)))
    #expect(valve.admits(text("b", bytes: 1)))
  }

  @Test func `counts what is short, too`() {
    let valve = TextValve()
    var admitted = 0
    while valve.admits(text("a", bytes: 0)), admitted < 1_000_000 { admitted += 1 }
    #expect(admitted < 1_000_000)
  }

  @Test func `leaves out nothing else`() {
    let valve = TextValve()
    var admitted = 0
    while valve.admits(text("a", bytes: 100_000)), admitted < 1000 { admitted += 1 }
    #expect(admitted < 1000)
    #expect(valve.admits(.trouble("no")))
    #expect(valve.admits(.answered(agent: "a", text: "The whole.")))
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
