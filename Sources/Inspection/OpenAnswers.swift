import Synchronization

/// Counts the answers that are still being read.
final class OpenAnswers: Sendable {
  /// An answer being read, for as long as it is held.
  final class Answer: Sendable {
    private let answers: OpenAnswers

    fileprivate init(_ answers: OpenAnswers) {
      self.answers = answers
      answers.count.withLock { $0 += 1 }
    }

    deinit { answers.count.withLock { $0 -= 1 } }
  }

  private let count = Mutex(0)

  func begin() -> Answer { Answer(self) }

  /// Returns when all answers have been read, or after this time at the latest.
  func areRead(within patience: Duration) async {
    let deadline = ContinuousClock.now + patience
    while count.withLock({ $0 > 0 }), ContinuousClock.now < deadline {
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
    }
  }
}
