/// How often a conversation replaces workers that die in the middle of a turn.
package struct RestartPolicy: Sendable, Equatable {
  /// How many deaths of one agent's workers are made good within the window; one more fails the turn.
  package var maximum: Int
  package var window: Duration
  /// How long the first new worker waits; each that follows within the window waits twice as long.
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

  /// No worker is replaced.
  package static let never = RestartPolicy(maximum: 0)
}

/// The deaths of one agent's workers in turns of a conversation.
///
/// A pure value; time is given to it.
struct Restarts {
  private let policy: RestartPolicy
  private var deaths: [ContinuousClock.Instant] = []

  init(_ policy: RestartPolicy) {
    self.policy = policy
  }

  /// How many there were within the window.
  var count: Int { deaths.count }

  /// Notes a death; returns how long to wait before another worker takes the place, or `nil` when
  /// there were too many.
  mutating func noteDeath(at now: ContinuousClock.Instant) -> Duration? {
    deaths = deaths.filter { now - $0 < policy.window } + [now]
    guard deaths.count <= policy.maximum else { return nil }
    return policy.firstDelay * (1 << (deaths.count - 1))
  }
}
