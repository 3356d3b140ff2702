/// The failures of a host: after each, it is left alone for a while.
///
/// A pure value; the caller supplies the time.
struct HostFailures: Sendable, Equatable {
  /// The pause after the first failure; it doubles for each further one.
  static let firstPause = Duration.seconds(2)
  static let longestPause = Duration.seconds(300)

  private(set) var count = 0
  /// What went wrong the last time, in words.
  private(set) var problem: String?
  private var end: ContinuousClock.Instant?

  /// Why the host is left alone now; `nil` if it can be tried.
  func obstacle(at now: ContinuousClock.Instant) -> String? {
    guard let end, let problem, now < end else { return nil }
    return problem
  }

  mutating func record(_ problem: String, at now: ContinuousClock.Instant) {
    let pause = Self.firstPause * (1 << min(count, 16))
    (count, self.problem) = (count + 1, problem)
    end = now + min(pause, Self.longestPause)
  }

  mutating func clear() { self = HostFailures() }
}
