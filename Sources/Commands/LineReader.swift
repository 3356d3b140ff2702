import Dispatch
import Foundation

/// Reads lines, and no more of them ahead than somebody has room for.
final class LineReader: Sendable {
  /// More than anybody types ahead, and little memory.
  static let linesAhead = 1024

  /// The lines up to the end of the input, for one who reads them.
  let lines: AsyncStream<String>
  private let room = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - limit: How many lines are given before there is room for another.
  ///   - read: Waits for a line and returns it; `nil` at the end of the input.
  init(ahead limit: Int = LineReader.linesAhead, read: @escaping @Sendable () -> String?) {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    let room = room
    // A semaphore that begins with them must not be gone while some of them are taken.
    for _ in 0..<limit { room.signal() }
    // Reading blocks, and so it has a thread of its own, which ends with the process.
    Thread.detachNewThread {
      // The end of the input is heard even where there is no room for another line.
      while let line = read() {
        room.wait()
        continuation.yield(line)
      }
      continuation.finish()
    }
  }

  static func standardInput() -> LineReader { LineReader { readLine() } }

  /// Has room for one line more.
  func makeRoom() { room.signal() }
}
