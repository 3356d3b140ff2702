import Supervision
import Wire

/// Why an outpost's life is over.
enum LinkEnding: Equatable, Sendable {
  /// It said farewell: all its workers have ended.
  case farewell
  /// Its launcher ended, or its output did.
  case closed
  /// Nothing was heard of it for too long.
  case silent
  /// It did not greet in time.
  case notGreeted
  /// The engine did not give out a machine in time.
  case queuedTooLong(reason: String, seconds: Int)
  case breach(String)
  /// It cannot be used.
  case unusable(OutpostError)
}

/// What an outpost has said of a file that is being sent.
enum FileAnswer: Sendable {
  /// Nothing, and nothing waits for it now.
  case unasked
  /// Nothing, and this waits for whether the file is there.
  case awaited(CheckedContinuation<Bool, any Error>)
  /// That it cannot be kept, for this reason.
  case refused(String)

  var waiter: CheckedContinuation<Bool, any Error>? {
    if case .awaited(let waiter) = self { waiter } else { nil }
  }
}

/// What is known of one life of an outpost.
struct LinkState: Sendable {
  enum Phase: Equatable, Sendable {
    case awaitingPreamble
    case awaitingGreeting
    /// It is sent another build of its program, which it is to become.
    case replacing
    /// It was told what to be.
    case beginning
    case up
    case ended(LinkEnding)
  }

  /// More messages than an outpost can have cause to send between two looks at it.
  private static let maximumMessages = 65_536
  /// More workers, templates and spares than a host has in its life.
  static let maximumLanes = 65_536

  var phase = Phase.awaitingPreamble
  /// Whether it has become another build of its program.
  var isReplaced = false
  var machine: OutpostMachine?
  var vitals: OutpostVitals?
  var workers = LinkWorkers()
  /// The files that are being sent, by hash.
  var files: [String: FileAnswer] = [:]
  /// Those that wait until it can be used, and after that for what they have sent to come back.
  var waiters: [CheckedContinuation<Void, any Error>] = []
  var logs = StandbyLogs()
  /// Since when nothing was heard, in time during which this process could hear.
  var silence = Duration.zero
  var messages = 0
  /// When it was last answered, from which its lease runs at most.
  var answered = ContinuousClock.now

  var isOver: Bool { if case .ended = phase { true } else { false } }

  /// Counts a message, which must be one of this phase.
  mutating func count(_ message: FromOutpost) throws(WireBreach) {
    messages += 1
    guard messages <= Self.maximumMessages else {
      throw .outOfTurn("\(messages) messages, faster than there can be cause for")
    }
    guard phase.allows(message) else { throw .outOfTurn("\(message.kindName) while \(phase)") }
  }

  /// - Returns: Whether it has not been replaced before.
  mutating func beginReplacing() -> Bool {
    defer { (phase, isReplaced) = (.replacing, true) }
    return !isReplaced
  }
}

extension LinkState.Phase {
  fileprivate func allows(_ message: FromOutpost) -> Bool {
    switch message {
    case .greeting: self == .awaitingGreeting
    case .begun, .unable: self == .beginning
    case .has, .wants, .notKept, .credit: self == .up || self == .beginning || self == .replacing
    // Some are overtaken by what is shorter.
    case .beat, .vitals, .notConnected, .farewell: self == .up || self == .beginning
    case .launched, .refused, .waiting, .echo: self == .up
    }
  }
}
