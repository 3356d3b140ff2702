import Dispatch
import Foundation

/// Reads lines, and only as many ahead as there is room for.
final class LineReader: Sendable {
  /// More lines than anybody types ahead, yet little memory.
  static let linesAhead = 1024

  /// The lines up to the end of the input, for a single reader.
  let lines: AsyncStream<String>
  private let room = DispatchSemaphore(value: 0)

  /// Starts reading.
  /// - Parameters:
  ///   - limit: How many lines are delivered before room must be made for more.
  ///   - read: Waits for a line and returns it; `nil` at the end of the input.
  init(ahead limit: Int = LineReader.linesAhead, read: @escaping @Sendable () -> String?) {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    let room = room
    // A semaphore must not be destroyed below its initial value, so it starts at zero.
    for _ in 0..<limit { room.signal() }
    // Reading blocks, so it has a thread of its own, which ends with the process.
    Thread.detachNewThread {
      // Reading before waiting for room detects the end of the input even when there is none.
      while let line = read() {
        room.wait()
        continuation.yield(line)
      }
      continuation.finish()
    }
  }

  static func standardInput() -> LineReader { LineReader { readLine() } }

  /// Makes room for one more line.
  func makeRoom() { room.signal() }
}
