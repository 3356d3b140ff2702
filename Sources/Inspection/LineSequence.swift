import FlyingSocks
import Foundation

/// Lines of JSON as the body of a response.
struct LineSequence: AsyncBufferedSequence {
  typealias Element = UInt8

  let lines: AsyncStream<PromptLine>
  let valve: TextValve

  func makeAsyncIterator() -> Iterator {
    Iterator(lines: lines.makeAsyncIterator(), valve: valve)
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    typealias Buffer = ArraySlice<UInt8>

    var lines: AsyncStream<PromptLine>.Iterator
    private let valve: TextValve
    private var rest: ArraySlice<UInt8> = []

    init(lines: AsyncStream<PromptLine>.Iterator, valve: TextValve) {
      (self.lines, self.valve) = (lines, valve)
    }

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let line = await lines.next(isolation: #isolation) else { return nil }
        valve.read(line)
        rest = Array(try ControlJSON.encode(line) + [UInt8(ascii: "\n")])[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
