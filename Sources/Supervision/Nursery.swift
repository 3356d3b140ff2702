import Foundation

/// Forks that templates were asked for, until their processes are known.
///
/// A fork is identified by what its template reports, or by its own greeting when the template died
/// too early to report it. Once every pipe through which it could be heard is closed, there is no
/// fork.
struct Nursery {
  typealias Midwife = @Sendable (Result<Int32, LaunchError>) -> Void

  private struct Unborn {
    let child: Child
    let template: Int32
    let patience: Duration
    var expires: SuspendingClock.Instant
    let onBirth: Midwife
  }

  private var unborn: [String: Unborn] = [:]

  var children: [Child] { unborn.values.map(\.child) }

  /// How long to wait at most before looking again; `nil` for no bound.
  var milliseconds: Int32? {
    unborn.values.map(\.expires).min().map { expires in
      SuspendingClock.now.duration(to: expires).pollMilliseconds
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
      expires: .now + patience,
      onBirth: onBirth
    )
  }

  /// Records which process a fork is, or that there is none.
  ///
  /// - Returns: The child with that process, or a stray one for a fork that is no longer expected,
  ///   and a closure that tells those who wait for it, once it can be spoken to.
  mutating func identify(_ name: String, as pid: Int32) -> (child: Child, announce: () -> Void)? {
    guard let waiting = unborn[name] else {
      return Self.isOwn(pid) ? (Child(stray: pid), {}) : nil
    }
    if pid > 0, !Self.isOwn(pid) { return nil }
    unborn[name] = nil
    // A template forks one after the other, so the time of the next begins now.
    for (other, next) in unborn where next.template == waiting.template {
      unborn[other]?.expires = .now + next.patience
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
    for (name, waiting) in unborn {
      if waiting.child.isMute {
        waiting.onBirth(.failure(.system(call: "fork", code: ECHILD)))
      } else if waiting.expires <= heard {
        waiting.onBirth(.failure(.system(call: "fork", code: ETIMEDOUT)))
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
