import Foundation

/// Visitors to the loopback door from this process, each on its own thread, which blocks.
struct Knocking: Sendable {
  private static let pause = Duration.milliseconds(200)

  let port: UInt16

  /// Sends bytes and returns the answer within the patience.
  func ask(_ words: [UInt8], patience: Duration) async -> String {
    await onThread {
      Visit(port: port, until: .now + patience)?.ask(words) ?? ""
    }
  }

  /// Sends bytes one at a time, and comes back when sent away.
  ///
  /// - Returns: How often it was let in, and how often it came.
  func dawdle(
    _ words: [UInt8],
    until deadline: ContinuousClock.Instant
  ) async -> (letIn: Int, came: Int) {
    await onThread {
      var (letIn, came) = (0, 0)
      while ContinuousClock.now < deadline {
        guard let visit = Visit(port: port, until: deadline) else { continue }
        came += 1
        // It never comes to the end.
        guard visit.dawdle(words.dropLast(), pause: Self.pause) else { break }
        if Self.status(of: String(decoding: visit.answer, as: UTF8.self)) == 200 { letIn += 1 }
        // A machine has only so many ports for visitors and keeps each for a minute.
        Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
      }
      return (letIn, came)
    }
  }

  /// Returns the status in the first line of an answer; `nil` when there is none.
  static func status(of answer: some StringProtocol) -> Int? {
    guard answer.hasPrefix("HTTP/1.1 ") else { return nil }
    return Int(answer.dropFirst(9).prefix(3))
  }

  private func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
