/// Decides how long a request waits for a server that refuses it for a while.
struct Backoff {
  private static let first = Duration.milliseconds(500)
  private static let longest = Duration.seconds(10)
  /// The time that a request needs at least, so that a turn does not end in a wait.
  private static let reserve = Duration.seconds(1)
  /// A shorter last wait is not worth another request.
  private static let shortest = Duration.milliseconds(200)
  /// How often a request is repeated that may itself be what the server fails at.
  private static let mostFaults = 4

  /// How often the request has waited.
  private(set) var count = 0
  /// How long it has waited in all.
  private(set) var waited = Duration.zero
  private var faults = 0

  /// Returns how long to wait before the request is repeated; `nil` if it is not.
  ///
  /// A server is left alone for as long as it wants or, if it does not say, for twice as long as
  /// before. The last of these waits uses what is left of the turn.
  ///
  /// - Parameters:
  ///   - timeLeft: The time until the turn ends.
  ///   - chance: A random number from 0 to 1, so that many who wait do not return together.
  mutating func next(
    after refusal: TemporaryRefusal,
    timeLeft: Duration,
    chance: Double
  ) -> Duration? {
    if refusal.mayBeOfRequest { faults += 1 }
    guard faults <= Self.mostFaults else { return nil }
    let room = timeLeft - Self.reserve
    let wait: Duration
    if let told = refusal.retryAfter {
      guard told <= room else { return nil }
      wait = told
    } else {
      let doubled = min(Self.first * (1 << min(count, 10)), Self.longest)
      wait = min(doubled * (0.5 + chance / 2), room)
      guard wait >= Self.shortest else { return nil }
    }
    count += 1
    waited += wait
    return wait
  }
}
