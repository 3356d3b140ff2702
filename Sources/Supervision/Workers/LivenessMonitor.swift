import Wire

/// Watches one worker by the pings that it leaves unanswered.
///
/// Counted rather than timed: a coordinator that was itself stopped, by Ctrl-Z or a sleeping
/// machine, must not mistake its own absence for that of its workers.
struct Vigil {
  /// What to do about a worker now.
  enum Verdict: Equatable {
    case wait
    case ask
    case condemn(Death.Cause)
  }

  private var unanswered = 0
  /// How many answers may still arrive.
  private var asked = 0
  private var loading = 0
  private var isMute = false

  /// Records that something came from the worker.
  mutating func hear() {
    unanswered = 0
  }

  /// Takes an answer to a ping.
  ///
  /// - Returns: Whether the worker had been asked.
  mutating func takeAnswer() -> Bool {
    guard asked > 0 else { return false }
    asked -= 1
    return true
  }

  /// Records that nothing more can come from the worker.
  mutating func hearNoMore() {
    isMute = true
    unanswered = 0
  }

  /// Decides what to do; called once per heartbeat.
  ///
  /// - Parameter isHeard: Whether what the worker sent since the last heartbeat was read.
  mutating func judge(
    isLoading: Bool,
    isHeard: Bool = true,
    patience: Roster.Patience
  ) -> Verdict {
    guard isHeard else {
      if isMute || isLoading { return .wait }
      // A worker that is not pinged for long takes its coordinator for gone.
      asked += 1
      return .ask
    }
    let silence = patience.heartbeat * unanswered
    unanswered += 1
    // An exit closes the output too; it gets one heartbeat to be reported first.
    if isMute { return unanswered > 1 ? .condemn(.breach("a closed output")) : .wait }
    guard isLoading else {
      guard silence >= patience.silence else {
        asked += 1
        return .ask
      }
      return .condemn(.hung(seconds: Int(patience.silence.components.seconds)))
    }
    loading += 1
    guard patience.heartbeat * loading > patience.load else { return .wait }
    return .condemn(.notReady(seconds: Int(patience.load.components.seconds)))
  }
}
