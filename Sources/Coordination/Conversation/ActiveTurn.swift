import Foundation
import Journal
import Transcripts

/// A turn, with its time, its requests to servers and those who wait for it.
struct ActiveTurn {
  typealias Finish = @Sendable (TurnPart) -> Void
  typealias CountHolds = @Sendable (Int) async -> Void

  var turn: Turn
  let requests: ServerRequests
  /// Counts workers that wait for a host, of this turn and of those for which it waits.
  let countHolds: CountHolds
  /// When the turn began, moved by the time for which it has waited for its client, or has to wait
  /// before it goes on.
  private(set) var started: Date
  private var time: Time
  /// Looks after the time once the first alarm has come too early.
  var alarm: Alarm?
  /// How many of its workers wait for a host.
  private var holds = 0
  /// Tells those who wait for the part of the turn that goes on; `nil` if none does.
  private var finish: Finish?

  /// The time that the turn has left, on the clock of its alarm: a wall clock can be set.
  private enum Time {
    /// The cap on seconds ends the turn then.
    case until(SuspendingClock.Instant)
    /// A worker waits for a host.
    case held(left: Duration, since: SuspendingClock.Instant)
    /// The turn waits for its client.
    case paused(left: Duration, since: Date)

    /// When it is over, if it went on from now.
    var end: SuspendingClock.Instant {
      switch self {
      case .until(let end): end
      case .held(let left, _), .paused(let left, _): .now + left
      }
    }
  }

  init(
    _ turn: Turn,
    _ requests: ServerRequests,
    deadline: SuspendingClock.Instant,
    countHolds: @escaping CountHolds,
    finish: @escaping Finish
  ) {
    started = .now + (turn.settings.delay ?? .zero) / .seconds(1)
    self.turn = turn
    self.requests = requests
    self.countHolds = countHolds
    time = .until(deadline)
    self.finish = finish
  }

  var id: Int64 { turn.id }

  /// When the cap on seconds ends the turn, if it went on from now.
  var deadline: SuspendingClock.Instant { time.end }

  /// Whether a worker waits for a host.
  var isHeld: Bool { if case .held = time { true } else { false } }

  /// Whether the turn waits for its client.
  var isPaused: Bool { if case .paused = time { true } else { false } }

  /// Stops the clock, and ends the part of the turn that goes on.
  mutating func pause() {
    guard !isPaused else { return }
    time = .paused(left: SuspendingClock.now.duration(to: deadline), since: Date())
    finish.take()?(.waitsForClient)
  }

  /// Begins another part of the turn, after a pause.
  mutating func goOn(_ finish: @escaping Finish) {
    if case .paused(let left, let since) = time {
      started += max(0, Date().timeIntervalSince(since))
      time = holds > 0 ? .held(left: left, since: .now) : .until(.now + left)
    }
    self.finish = finish
  }

  /// Counts workers that wait for a host; the clock stands while there are any.
  /// - Returns: How long it stood, when it goes on.
  mutating func changeHolds(by change: Int) -> Duration? {
    holds += change
    switch time {
    case .until(let end) where holds > 0:
      time = .held(left: SuspendingClock.now.duration(to: end), since: .now)
    case .held(let left, let since) where holds <= 0:
      time = .until(.now + left)
      return since.duration(to: .now)
    case .until, .held, .paused: break
    }
    return nil
  }

  /// Has another wait for the end of the turn, which stays paused.
  mutating func await(_ finish: @escaping Finish) { self.finish = finish }

  func end(with result: TurnResult) { finish?(.ended(result)) }

  /// What those who wait are told of the end.
  func result(of end: TurnEnd) -> TurnResult {
    let state = turn.state
    let summary = TurnSummary(
      turn: id,
      exit: end.exit,
      holder: end.reverts ? state.baton.before : state.baton.holder,
      answer: end.reverts ? nil : state.answer?.text,
      usage: state.usage,
      seconds: max(0, Date().timeIntervalSince(started))
    )
    return TurnResult(
      summary: summary,
      budget: state.budget,
      unfinishedAnswer: turn.progress.partial.excerptOfAnswer
    )
  }

  /// When a friend phoned now ends, so that this turn can still answer.
  var deadlineOfFriend: SuspendingClock.Instant {
    let now = SuspendingClock.now
    return now + Budget.timeOfFriend(callerHas: now.duration(to: deadline))
  }
}
