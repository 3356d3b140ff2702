/// Counts how long an outpost has been starting, queued and idle.
struct LinkClock {
  /// An engine's users are asked not to ask more often.
  private static let queueInterval = Duration.seconds(10)
  private static let firstQueueInterval = Duration.seconds(1)
  private static let defaultWaitLimit = 60.0

  let interval: Duration
  private let greeting: Duration
  private let waitLimit: Duration
  private let idleLimit: Duration?
  private var last = SuspendingClock.now
  private var starting = Duration.zero
  private var queued = Duration.zero
  private var idle = Duration.zero
  private var sinceAsked = Duration.zero
  private var asked = 0
  /// What the launch waits for; `nil` while it does not wait.
  var queueReason: String?

  init(_ timeouts: OutpostTimeouts, _ limits: HostLimits) {
    interval = timeouts.heartbeat / 4
    greeting = timeouts.greeting
    waitLimit = .seconds(limits.wait ?? Self.defaultWaitLimit)
    idleLimit = limits.idle.map { .seconds($0) }
  }

  /// Returns the time since the last call, but little of what this process was itself stopped for.
  mutating func elapsed() -> Duration {
    let now = SuspendingClock.now
    defer { last = now }
    let elapsed = min(last.duration(to: now), interval * 4)
    if queueReason == nil { starting += elapsed } else { queued += elapsed }
    sinceAsked += elapsed
    idle += elapsed
    return elapsed
  }

  /// Counts the time until the greeting anew.
  mutating func restart() { starting = .zero }

  /// Returns whether it is time to ask the engine.
  mutating func shouldAskQueue() -> Bool {
    guard sinceAsked >= (asked == 0 ? Self.firstQueueInterval : Self.queueInterval) else {
      return false
    }
    (sinceAsked, asked) = (.zero, asked + 1)
    return true
  }

  /// Why a launch is given up; `nil` while it is not.
  var startEnding: LinkEnding? {
    if let queueReason, queued >= waitLimit {
      return .queuedTooLong(reason: queueReason, seconds: Int(waitLimit.components.seconds))
    }
    return starting >= greeting ? .notGreeted : nil
  }

  mutating func isIdleTooLong(_ workers: Int) -> Bool {
    if workers > 0 { idle = .zero }
    guard let idleLimit else { return false }
    return idle >= idleLimit
  }
}
