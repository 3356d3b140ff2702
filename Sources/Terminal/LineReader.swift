import Dispatch
import Foundation

/// A line of the input, without its end.
package struct InputLine: Sendable {
  /// Its place in the input; one for the first.
  package let number: Int
  package let bytes: [UInt8]

  /// Its text; `nil` when it is not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }
}

/// Reads lines, or other pieces of the input, and only as many ahead as there is room for.
package final class LineReader: Sendable {
  /// More lines than a person types ahead, yet little memory.
  package static let linesAhead = 1024

  /// The lines up to the end of the input, for a single reader.
  package let lines: AsyncStream<InputLine>
  private let room = DispatchSemaphore(value: 0)

  /// Starts reading.
  /// - Parameters:
  ///   - limit: How many lines are delivered before room must be made for more.
  ///   - input: Waits for each line.
  package init(
    ahead limit: Int = LineReader.linesAhead,
    _ input: some IteratorProtocol<[UInt8]> & Sendable
  ) {
    let (lines, continuation) = AsyncStream<InputLine>.makeStream()
    self.lines = lines
    let room = room
    // A semaphore must not be destroyed below its initial value, so it starts at zero.
    for _ in 0..<limit { room.signal() }
    // Reading blocks, so it has a thread of its own, which ends with the process.
    Thread.detachNewThread {
      var (input, number) = (input, 0)
      // Reading before waiting for room detects the end of the input even when there is none.
      while let line = input.next() {
        room.wait()
        number += 1
        continuation.yield(InputLine(number: number, bytes: line))
      }
      continuation.finish()
    }
  }

  package static func standardInput() -> LineReader { LineReader(DescriptorLines(STDIN_FILENO)) }

  package func makeRoom() { room.signal() }
}

/// The lines that can be read from a descriptor, as bytes: `readLine()` would repair what is not
/// UTF-8, unnoticed.
package struct DescriptorLines: IteratorProtocol, Sendable {
  private var pieces: DescriptorPieces
  /// What has been read and belongs to the next lines.
  private var rest: ArraySlice<UInt8> = []

  package init(_ descriptor: Int32) { pieces = DescriptorPieces(descriptor) }

  /// Waits for a line and returns it without its end; `nil` at the end of the input.
  package mutating func next() -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        rest = rest[(end + 1)...]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      line += rest
      rest = pieces.next()?[...] ?? []
      if rest.isEmpty { return line.isEmpty ? nil : line }
    }
  }
}

/// The bytes that can be read from a descriptor, in pieces as they come.
package struct DescriptorPieces: IteratorProtocol, Sendable {
  private static let maximumBytes = 64 * 1024

  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for bytes; `nil` at the end of the input.
  package mutating func next() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    var count = 0
    repeat {
      count = read(descriptor, &bytes, bytes.count)
    } while count < 0 && errno == EINTR
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}
