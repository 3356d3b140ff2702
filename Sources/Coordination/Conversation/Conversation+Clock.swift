import Synchronization
import Transcripts

// The clocks of turns: time in which no host is there for a worker does not count.

extension Conversation {
  /// Ends a turn whose time is up; looks again later where its clock stood meanwhile.
  func timeIsUp(of id: Int64) async {
    guard let active = turn, active.id == id, !active.isPaused else { return }
    let left = SuspendingClock.now.duration(to: active.deadline)
    // A timer may fire a little early.
    guard active.isHeld || left > .milliseconds(50) else {
      return await post(.stop(.cap("seconds")), to: id)
    }
    let next = SuspendingClock.now + (active.isHeld ? max(left, .seconds(1)) : left)
    turn?.alarm = Alarm(at: next) { [weak self] in Task { await self?.timeIsUp(of: id) } }
  }

  /// Counts workers that wait for a host: while there are any, the clock of the turn stands.
  func changeHolds(of id: Int64, by change: Int) {
    if turn?.id == id, let time = turn?.changeHolds(by: change) { status.heldTime += time }
  }
}

/// The clock of a turn, while a worker is launched for it.
///
/// It may be held and released on any thread, and is released at most once.
final class HeldClock: Sendable {
  private let count: ActiveTurn.CountHolds
  private let isHeld = Mutex(false)

  init(_ count: @escaping ActiveTurn.CountHolds) { self.count = count }

  func hold() { change(to: true) }

  func release() { change(to: false) }

  private func change(to held: Bool) {
    guard
      isHeld.withLock({ isHeld in
        defer { isHeld = held }
        return isHeld != held
      })
    else { return }
    // An actor counts, so that the order in which it gets to know does not matter.
    Task { await count(held ? 1 : -1) }
  }
}
