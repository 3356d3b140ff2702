import FlyingFox
import FlyingSocks
import Foundation

/// Lines of JSON as the body of a response.
struct LineSequence: AsyncBufferedSequence {
  typealias Element = UInt8

  /// The line that was awaited before the head was sent.
  let first: PromptLine?
  let others: AsyncThrowingStream<PromptLine, any Error>
  let valve: TextValve
  /// Marks the answer as being read, for as long as it is held.
  let answer: OpenAnswers.Answer

  func makeAsyncIterator() -> Iterator {
    Iterator(first: first, others: others.makeAsyncIterator(), valve: valve)
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    typealias Buffer = ArraySlice<UInt8>

    private var first: PromptLine?
    private var others: AsyncThrowingStream<PromptLine, any Error>.Iterator
    private let valve: TextValve
    private var rest: ArraySlice<UInt8> = []

    init(
      first: PromptLine?,
      others: AsyncThrowingStream<PromptLine, any Error>.Iterator,
      valve: TextValve
    ) {
      (self.first, self.others, self.valve) = (first, others, valve)
    }

    mutating func next() async throws -> UInt8? {
      try await nextBuffer(suggested: 1)?.first
    }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let line = await nextLine() else { return nil }
        valve.read(line)
        rest = Array(try ControlJSON.encode(line) + [UInt8(ascii: "\n")])[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private mutating func nextLine() async -> PromptLine? {
      if let first {
        self.first = nil
        return first
      }
      do {
        return try await others.next(isolation: #isolation)
      } catch {
        // The head has already reported success.
        let refusal = HTTPRefusal(error)
        return .refused(refusal.reason, status: refusal.status.code)
      }
    }
  }
}
