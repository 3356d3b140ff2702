/// The time as a turn sees it.
struct TurnClock: Sendable {
  let now: ContinuousClock.Instant
  /// The time until the cap on seconds ends the turn.
  let left: Duration

  /// The seconds left; at least one.
  var secondsLeft: Int { max(1, Int(left.components.seconds)) }
}

extension TurnClock {
  init(deadline: SuspendingClock.Instant) {
    self.init(now: .now, left: SuspendingClock.now.duration(to: deadline))
  }
}
