/// How often something may fail before it is left alone: so many times within so long.
///
/// A pure value; time is given to it.
struct RestartBudget {
  static let failures = 5
  static let window = Duration.seconds(60)

  private var times: [ContinuousClock.Instant] = []

  mutating func noteFailure(at now: ContinuousClock.Instant) {
    times = times.filter { now - $0 < Self.window }.suffix(Self.failures) + [now]
  }

  func isUntouched(at now: ContinuousClock.Instant) -> Bool {
    !times.contains { now - $0 < Self.window }
  }

  /// Whether it may be tried again.
  func allows(at now: ContinuousClock.Instant) -> Bool {
    times.count { now - $0 < Self.window } < Self.failures
  }
}
