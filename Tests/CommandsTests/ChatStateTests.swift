import Testing

@testable import Commands

@Suite struct `What a chat has read` {
  @Test func `waits until it is begun, one prompt after the other`() throws {
    var state = ChatState()
    for line in ["one", "two"] {
      let taken = try state.take(line)
      #expect(!taken.isDone)
    }
    let first = state.begin()
    #expect(first?.text == "one")
    let early = state.begin()
    #expect(early?.text == nil)
    state.finish(true)
    let second = state.begin()
    #expect(second?.text == "two")
  }

  @Test func `makes room at once when it is no prompt`() throws {
    var state = ChatState()
    let blank = try state.take("  ")
    #expect(blank.isDone)
    state.missImage()
    let refused = try state.take("What is on it?")
    #expect(refused.isDone)
    #expect(state.isIdle)
  }
}
