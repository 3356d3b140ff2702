/// How often a conversation replaces workers that die in the middle of a turn.
package struct RestartPolicy: Sendable, Equatable {
  /// How many deaths of one agent's workers the window allows; one more fails the turn.
  package var maximum: Int
  package var window: Duration
  /// The delay before the first replacement; it doubles for each further one within the window.
  package var firstDelay: Duration

  package init(
    maximum: Int = 4,
    window: Duration = .seconds(60),
    firstDelay: Duration = .milliseconds(50)
  ) {
    self.maximum = maximum
    self.window = window
    self.firstDelay = firstDelay
  }

  /// The policy that replaces no worker.
  package static let never = RestartPolicy(maximum: 0)
}

/// The deaths of one agent's workers during a conversation's turns.
///
/// A pure value; the caller supplies the time.
struct Restarts {
  private let policy: RestartPolicy
  private var deaths: [ContinuousClock.Instant] = []

  init(_ policy: RestartPolicy) {
    self.policy = policy
  }

  /// How many deaths there were within the window.
  var count: Int { deaths.count }

  /// Whether the window allows no further death.
  func isSpent(at now: ContinuousClock.Instant) -> Bool {
    deaths.count { now - $0 < policy.window } > policy.maximum
  }

  /// Records a death.
  /// - Returns: How long to wait before another worker takes over; `nil` after too many deaths.
  mutating func recordDeath(at now: ContinuousClock.Instant) -> Duration? {
    deaths = deaths.filter { now - $0 < policy.window } + [now]
    guard deaths.count <= policy.maximum else { return nil }
    return policy.firstDelay * (1 << (deaths.count - 1))
  }
}
