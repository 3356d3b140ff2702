import Wire

/// Watches one worker by the questions that it leaves unanswered.
///
/// Counted and not timed: a coordinator that was stopped itself, by a person's Ctrl-Z or a sleeping
/// machine, must not take its own absence for its workers'.
struct Vigil {
  /// What to do about a worker now.
  enum Verdict: Equatable {
    case wait
    case ask
    case condemn(Death.Cause)
  }

  private var unanswered = 0
  /// How many answers may come still.
  private var asked = 0
  private var loading = 0
  private var isMute = false

  /// Something came from the worker.
  mutating func hear() {
    unanswered = 0
  }

  /// It says that it is there; returns whether it was asked.
  mutating func takeAnswer() -> Bool {
    guard asked > 0 else { return false }
    asked -= 1
    return true
  }

  /// Nothing can come from the worker any more.
  mutating func hearNoMore() {
    isMute = true
    unanswered = 0
  }

  /// Called once a heartbeat.
  /// - Parameter isHeard: Whether what the worker has said since the last heartbeat was read.
  mutating func judge(
    isLoading: Bool,
    isHeard: Bool = true,
    patience: Roster.Patience
  ) -> Verdict {
    guard isHeard else {
      if isMute || isLoading { return .wait }
      // Whoever is not asked for long takes its coordinator for gone.
      asked += 1
      return .ask
    }
    let silence = patience.heartbeat * unanswered
    unanswered += 1
    // An exit closes the output too; it has a heartbeat's time to be reported first.
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
