import Synchronization

/// Counts the answers that somebody reads still.
final class OpenAnswers: Sendable {
  /// One of them, for as long as it is held.
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

  /// Returns when all have been read, and at the latest after this time.
  func areRead(within patience: Duration) async {
    let deadline = ContinuousClock.now + patience
    while count.withLock({ $0 > 0 }), ContinuousClock.now < deadline {
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
    }
  }
}
