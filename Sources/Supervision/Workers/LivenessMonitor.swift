import Wire

/// Judges by unanswered pings whether a worker is alive.
///
/// Pings are counted rather than timed: a coordinator that was itself stopped, by Ctrl-Z or a
/// sleeping machine, must not take its own absence for that of its workers.
struct LivenessMonitor {
  /// What to do about a worker now.
  enum Decision: Equatable {
    case wait
    case ping
    case terminate(Death.Cause)
  }

  private var unanswered = 0
  /// How many pongs may still arrive.
  private var outstanding = 0
  private var loading = 0
  private var hasClosedOutput = false

  /// Records that the worker has sent something.
  mutating func recordActivity() {
    unanswered = 0
  }

  /// Records a pong.
  ///
  /// - Returns: Whether it answers a ping.
  mutating func recordPong() -> Bool {
    guard outstanding > 0 else { return false }
    outstanding -= 1
    return true
  }

  /// Records that the worker's output has ended.
  mutating func recordEOF() {
    hasClosedOutput = true
    unanswered = 0
  }

  /// Decides what to do; called once per heartbeat.
  ///
  /// - Parameter isRead: Whether what the worker sent since the last heartbeat has been read.
  mutating func evaluate(
    isLoading: Bool,
    isRead: Bool = true,
    timeouts: Roster.Timeouts
  ) -> Decision {
    guard isRead else {
      if hasClosedOutput || isLoading { return .wait }
      // A worker that is not pinged for long takes its coordinator for gone.
      outstanding += 1
      return .ping
    }
    let silence = timeouts.heartbeat * unanswered
    unanswered += 1
    // An exit closes the output too; it gets one heartbeat to be reported first.
    if hasClosedOutput { return unanswered > 1 ? .terminate(.breach("a closed output")) : .wait }
    guard isLoading else {
      guard silence >= timeouts.silence else {
        outstanding += 1
        return .ping
      }
      return .terminate(.hung(seconds: Int(timeouts.silence.components.seconds)))
    }
    loading += 1
    guard timeouts.heartbeat * loading > timeouts.load else { return .wait }
    return .terminate(.notReady(seconds: Int(timeouts.load.components.seconds)))
  }
}
