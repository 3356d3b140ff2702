/// How long an outpost may live on without an answer.
///
/// A pure value that is given the time. The lease runs from when a heartbeat was sent that the other
/// end has answered since, and not from when the answer came: an answer that was held up on its way
/// must not make the outpost outlive the moment up to which the coordinator waits for its end.
struct Lease: Sendable {
  private let length: Duration
  private var start: ContinuousClock.Instant
  private var last = 0
  private var unanswered: [Int: ContinuousClock.Instant] = [:]

  init(_ length: Duration, from start: ContinuousClock.Instant) {
    self.length = length
    self.start = start
  }

  /// Numbers a heartbeat that is sent now.
  mutating func beat(at now: ContinuousClock.Instant) -> Int {
    last += 1
    unanswered[last] = now
    return last
  }

  /// Handles the answer to a heartbeat, with which those before it are answered.
  mutating func answer(_ number: Int) {
    guard let sent = unanswered[number] else { return }
    start = max(start, sent)
    unanswered = unanswered.filter { $0.key > number }
  }

  func isOver(at now: ContinuousClock.Instant) -> Bool { now - start >= length }
}
