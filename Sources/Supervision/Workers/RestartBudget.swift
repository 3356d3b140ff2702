/// How often something may fail within a time window before it is no longer retried.
///
/// A pure value that is given the time.
package struct RestartBudget: Sendable {
  static let window = Duration.seconds(60)

  let failures: Int

  private var times: [ContinuousClock.Instant] = []

  package init(failures: Int = 5) {
    self.failures = failures
  }

  package mutating func recordFailure(at now: ContinuousClock.Instant) {
    times = times.filter { now - $0 < Self.window }.suffix(failures) + [now]
  }

  func isUnused(at now: ContinuousClock.Instant) -> Bool {
    !times.contains { now - $0 < Self.window }
  }

  /// Returns whether another attempt is allowed.
  package func allows(at now: ContinuousClock.Instant) -> Bool {
    times.count { now - $0 < Self.window } < failures
  }
}
