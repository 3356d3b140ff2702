import Foundation
import Synchronization
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct `A reader of lines` {
  @Test func `reads no further ahead than there is room for`() async {
    let source = Source(count: 500)
    let reader = LineReader(ahead: 4, source)
    var taken: [String?] = []
    for await line in reader.lines {
      taken.append(line.text)
      source.allowOneMore()
      reader.makeRoom()
    }
    let all = (1...500).map { "\($0)" }
    #expect(taken == all)
    // Four lines ahead, plus the one that the reader holds.
    #expect(source.furthestAhead <= 5)
  }

  @Test func `gives a line when room is made for it`() async {
    let source = Source(count: 3)
    let reader = LineReader(ahead: 2, source)
    var lines = reader.lines.makeAsyncIterator()
    for expected in ["1", "2"] {
      let line = await lines.next()
      #expect(line?.text == expected)
    }
    reader.makeRoom()
    let answer = await lines.next()
    #expect(answer?.text == "3")
  }

  @Test func `hears the end of the input although there is no more room`() async {
    let source = Source(count: 2)
    let reader = LineReader(ahead: 2, source)
    var taken: [String?] = []
    for await line in reader.lines { taken.append(line.text) }
    #expect(taken == ["1", "2"])
  }

  @Test func `numbers the lines, and gives no text for one that is not UTF-8`() async throws {
    let pipe = Pipe()
    let reader = LineReader(DescriptorLines(pipe.fileHandleForReading.fileDescriptor))
    let bytes = Data("one\n".utf8) + [0x63, 0xE9, 0x0A] + Data("café\n".utf8)
    try pipe.fileHandleForWriting.write(contentsOf: bytes)
    try pipe.fileHandleForWriting.close()
    var taken: [InputLine] = []
    for await line in reader.lines { taken.append(line) }
    #expect(taken.map(\.number) == [1, 2, 3])
    #expect(taken.map(\.text) == ["one", nil, "café"])
    #expect(taken[1].bytes == [0x63, 0xE9])
    try pipe.fileHandleForReading.close()
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The lines of a descriptor` {
  @Test func `come without their ends, also when they come in pieces`() throws {
    let pipe = Pipe()
    var lines = DescriptorLines(pipe.fileHandleForReading.fileDescriptor)
    try pipe.fileHandleForWriting.write(contentsOf: Data("one\r\n\ntw".utf8))
    #expect(lines.next() == Array("one".utf8))
    #expect(lines.next() == [])
    try pipe.fileHandleForWriting.write(contentsOf: Data("o\nthree\r".utf8))
    #expect(lines.next() == Array("two".utf8))
    try pipe.fileHandleForWriting.close()
    #expect(lines.next() == Array("three\r".utf8))
    #expect(lines.next() == nil)
  }

  @Test func `may be longer than what is read at once`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let long = String(repeating: "word ", count: 40_000)
    try Data("\(long)\nshort".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    var lines = DescriptorLines(handle.fileDescriptor)
    #expect(lines.next() == Array(long.utf8))
    #expect(lines.next() == Array("short".utf8))
    #expect(lines.next() == nil)
    try handle.close()
  }

  @Test func `end where nothing can be read`() {
    var lines = DescriptorLines(-1)
    #expect(lines.next() == nil)
  }
}

/// A source of numbered lines that tracks how far they are read beyond what is allowed.
private final class Source: IteratorProtocol, Sendable {
  private struct State {
    var read = 0
    var allowed = 0
    var furthestAhead = 0
  }

  private let count: Int
  private let state = Mutex(State())

  init(count: Int) { self.count = count }

  var furthestAhead: Int { state.withLock { $0.furthestAhead } }

  func next() -> [UInt8]? {
    state.withLock { state in
      guard state.read < count else { return nil }
      state.read += 1
      state.furthestAhead = max(state.furthestAhead, state.read - state.allowed)
      return Array(String(state.read).utf8)
    }
  }

  func allowOneMore() { state.withLock { $0.allowed += 1 } }
}
