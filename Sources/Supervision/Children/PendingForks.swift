import Foundation

/// Forks that templates were asked for, until their processes are known.
///
/// A fork is identified by what its template reports, or by its own greeting when the template died
/// too early to report it. Once every pipe through which it could be heard is closed, there is no
/// fork.
struct Nursery {
  typealias Midwife = @Sendable (Result<Int32, LaunchError>) -> Void

  /// The most that counts of the time between two looks.
  ///
  /// A process that was stopped in between, by Ctrl-Z or with its whole machine, finds that only
  /// this has passed: its templates may have been stopped as well, and need time to go on.
  private static let step = Duration.seconds(1)

  private struct Unborn {
    let child: Child
    let template: Int32
    let patience: Duration
    /// What is left of its time.
    var left: Duration
    /// Until when its time has been counted.
    var counted = SuspendingClock.now
    let onBirth: Midwife

    /// Begins its time anew.
    mutating func restart() {
      left = patience
      counted = .now
    }

    /// Counts the time until a moment.
    ///
    /// - Returns: Whether its time is over.
    mutating func isOver(at heard: SuspendingClock.Instant) -> Bool {
      guard heard >= counted else { return false }
      left -= min(counted.duration(to: heard), Nursery.step)
      counted = heard
      return left <= .zero
    }
  }

  private var unborn: [String: Unborn] = [:]
  /// Forks that were given up, while somebody could still become them.
  ///
  /// They are heard because only who names itself can be reaped.
  private var late: [String: Child] = [:]

  var children: [Child] { unborn.values.map(\.child) + late.values }

  /// How long to wait at most before looking again; `nil` for no bound.
  var milliseconds: Int32? {
    unborn.values.map { $0.left - $0.counted.duration(to: .now) }.min().map { left in
      min(left, Self.step).pollMilliseconds
    }
  }

  mutating func expect(
    _ name: String,
    _ child: Child,
    of template: Int32,
    within patience: Duration,
    onBirth: @escaping Midwife
  ) {
    unborn[name] = Unborn(
      child: child,
      template: template,
      patience: patience,
      left: patience,
      onBirth: onBirth
    )
  }

  /// Records which process a fork is, or that there is none.
  ///
  /// - Returns: The child with that process, or a stray one for a fork that is no longer expected,
  ///   and a closure that tells those who wait for it, once it can be spoken to.
  mutating func identify(_ name: String, as pid: Int32) -> (child: Child, announce: () -> Void)? {
    guard let waiting = unborn[name] else {
      guard Self.isOwn(pid) else { return nil }
      late[name] = nil
      return (Child(stray: pid), {})
    }
    if pid > 0, !Self.isOwn(pid) { return nil }
    unborn[name] = nil
    // A template forks one after the other, so the time of the next begins now.
    for (other, next) in unborn where next.template == waiting.template {
      unborn[other]?.restart()
    }
    guard pid > 0 else {
      waiting.onBirth(.failure(.system(call: "fork", code: EAGAIN)))
      return nil
    }
    // The fork does the same, but perhaps only after its template and that one's group are gone.
    setpgid(pid, pid)
    // Killed with its template before anybody heard of it: as if it had never existed.
    if ChildState(of: pid) == .ended {
      waiting.onBirth(.failure(.system(call: "fork", code: ECHILD)))
      return (Child(stray: pid), {})
    }
    waiting.child.identify(as: pid)
    return (waiting.child, { waiting.onBirth(.success(pid)) })
  }

  /// Gives up forks that will not come.
  ///
  /// - Parameter heard: Until when everything that forks said has been read. Whatever holds up the
  ///   reader takes nothing from the time of a fork, whose greeting may lie unread.
  mutating func bury(heard: SuspendingClock.Instant) {
    late = late.filter { !$0.value.isMute }
    for (name, waiting) in unborn {
      if waiting.child.isMute {
        waiting.onBirth(.failure(.system(call: "fork", code: ECHILD)))
      } else if unborn[name]?.isOver(at: heard) == true {
        waiting.onBirth(.failure(.system(call: "fork", code: ETIMEDOUT)))
        // Its template may make it all the same; it then finds its lifeline closed.
        waiting.child.input.close()
        late[name] = waiting.child
      } else {
        continue
      }
      unborn[name] = nil
    }
  }

  /// Returns whether a process is a child of this one, dead or alive: a template's word is not
  /// trusted.
  private static func isOwn(_ pid: Int32) -> Bool {
    guard pid > 0, let state = ChildState(of: pid) else { return false }
    return state != .foreign
  }
}
