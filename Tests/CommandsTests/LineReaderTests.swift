import Synchronization
import Testing

@testable import Commands

@Suite(.timeLimit(.minutes(5))) struct `A reader of lines` {
  @Test func `reads no further ahead than there is room for`() async {
    let source = Source(count: 500)
    let reader = LineReader(ahead: 4) { source.next() }
    var taken: [String] = []
    for await line in reader.lines {
      taken.append(line)
      source.allowOneMore()
      reader.makeRoom()
    }
    let all = (1...500).map { "\($0)" }
    #expect(taken == all)
    // Four lines ahead, plus the one that the reader holds.
    #expect(source.furthestAhead <= 5)
  }

  @Test func `gives a line that somebody makes room for, although none is taken away`() async {
    let source = Source(count: 3)
    let reader = LineReader(ahead: 2) { source.next() }
    var lines = reader.lines.makeAsyncIterator()
    for expected in ["1", "2"] {
      let line = await lines.next()
      #expect(line == expected)
    }
    reader.makeRoom()
    let answer = await lines.next()
    #expect(answer == "3")
  }

  @Test func `hears the end of the input although there is no more room`() async {
    let source = Source(count: 2)
    let reader = LineReader(ahead: 2) { source.next() }
    var taken: [String] = []
    for await line in reader.lines { taken.append(line) }
    #expect(taken == ["1", "2"])
  }
}

/// A source of numbered lines that tracks how far they are read beyond what is allowed.
private final class Source: Sendable {
  private struct State {
    var read = 0
    var allowed = 0
    var furthestAhead = 0
  }

  private let count: Int
  private let state = Mutex(State())

  init(count: Int) { self.count = count }

  var furthestAhead: Int { state.withLock { $0.furthestAhead } }

  func next() -> String? {
    state.withLock { state in
      guard state.read < count else { return nil }
      state.read += 1
      state.furthestAhead = max(state.furthestAhead, state.read - state.allowed)
      return String(state.read)
    }
  }

  func allowOneMore() { state.withLock { $0.allowed += 1 } }
}
