import Transcripts
import Wire

/// How far a turn has come, beside what is in its facts.
struct TurnProgress: Sendable {
  /// The request admitted last, until its usage is journaled.
  var openRequest: OpenRequest?
  /// What the worker has said so far of the entry that it is generating.
  var partial = PartialText()
  /// Whether the worker has said anything in this turn.
  var isHeard = false
  /// The latest wait for a server, and its end.
  var serverWait: (wait: ServerWait, end: ContinuousClock.Instant)?
  /// How often the turn was given to a worker.
  var attempts = 0
  /// Whether the turn is left without an end because the next coordinator continues it.
  var isLeftOpen = false
  /// Whether the client has sent another prompt while the turn waited for it.
  var isSuperseded = false

  /// Begins with a new worker.
  mutating func begin() {
    isHeard = false
    partial = PartialText()
  }
}

/// An admitted request whose usage is not journaled yet.
struct OpenRequest: Sendable {
  /// How many text changes the worker has sent for the request; each is at least one token.
  var texts = 0
}
