/// How often something may fail within a time window before it is no longer retried.
///
/// A pure value that is given the time.
struct RestartBudget {
  static let failures = 5
  static let window = Duration.seconds(60)

  private var times: [ContinuousClock.Instant] = []

  mutating func recordFailure(at now: ContinuousClock.Instant) {
    times = times.filter { now - $0 < Self.window }.suffix(Self.failures) + [now]
  }

  func isUnused(at now: ContinuousClock.Instant) -> Bool {
    !times.contains { now - $0 < Self.window }
  }

  /// Returns whether another attempt is allowed.
  func allows(at now: ContinuousClock.Instant) -> Bool {
    times.count { now - $0 < Self.window } < Self.failures
  }
}
