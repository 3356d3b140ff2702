import PlatformLibraries

/// Forks that templates were asked for, until their processes are known.
///
/// A fork is identified by what its template reports, or by its own greeting when the template died
/// too early to report it. Once its pipes are closed on the other side, there is no fork.
struct PendingForks {
  typealias Completion = @Sendable (Result<Int32, LaunchError>) -> Void

  /// The most that counts of the time between two checks.
  ///
  /// A coordinator that was stopped in between, by Ctrl-Z or with its whole machine, counts only
  /// this: its templates may have been stopped as well, and need time to go on.
  private static let step = Duration.seconds(1)

  private struct PendingFork {
    let child: Child
    let template: Int32
    let timeout: Duration
    var remaining: Duration
    /// Until when the time has been counted.
    var counted = SuspendingClock.now
    let completion: Completion

    mutating func restart() {
      remaining = timeout
      counted = .now
    }

    /// Counts the time until a moment.
    ///
    /// - Returns: Whether none is left.
    mutating func hasExpired(at readUntil: SuspendingClock.Instant) -> Bool {
      guard readUntil >= counted else { return false }
      remaining -= min(counted.duration(to: readUntil), PendingForks.step)
      counted = readUntil
      return remaining <= .zero
    }
  }

  private var pending: [String: PendingFork] = [:]
  /// Forks that were given up, while their templates could still make them.
  ///
  /// Their output is read because a fork must be identified to be reaped.
  private var expired: [String: Child] = [:]

  var children: [Child] { pending.values.map(\.child) + expired.values }

  /// How long to wait at most before looking again; `nil` for no bound.
  var milliseconds: Int32? {
    pending.values.map { $0.remaining - $0.counted.duration(to: .now) }.min().map { left in
      min(left, Self.step).pollMilliseconds
    }
  }

  mutating func add(
    _ name: String,
    _ child: Child,
    of template: Int32,
    within timeout: Duration,
    completion: @escaping Completion
  ) {
    pending[name] = PendingFork(
      child: child,
      template: template,
      timeout: timeout,
      remaining: timeout,
      completion: completion
    )
  }

  /// Records which process a fork is, or that there is none.
  ///
  /// - Returns: The child with that process, or a stray one for a fork that is no longer pending,
  ///   and a closure to call once it can be written to.
  mutating func identify(_ name: String, as pid: Int32) -> (child: Child, announce: () -> Void)? {
    guard let fork = pending[name] else {
      guard Self.isOwn(pid) else { return nil }
      expired[name] = nil
      return (Child(stray: pid), {})
    }
    if pid > 0, !Self.isOwn(pid) { return nil }
    pending[name] = nil
    // A template forks one after the other, so the time of the next begins now.
    for (other, next) in pending where next.template == fork.template {
      pending[other]?.restart()
    }
    guard pid > 0 else {
      fork.completion(.failure(.system(call: "fork", code: EAGAIN)))
      return nil
    }
    // The fork does the same, but perhaps only after its template and that one's group are gone.
    setpgid(pid, pid)
    // Killed with its template before it was identified: as if it had never existed.
    if ChildState(of: pid) == .ended {
      fork.completion(.failure(.system(call: "fork", code: ECHILD)))
      return (Child(stray: pid), {})
    }
    fork.child.identify(as: pid)
    return (fork.child, { fork.completion(.success(pid)) })
  }

  /// Gives up forks that will not come.
  ///
  /// - Parameter readUntil: Until when everything that forks wrote has been read. A delay of the
  ///   reader takes nothing from the time of a fork, whose greeting may lie unread.
  mutating func expire(readUntil: SuspendingClock.Instant) {
    expired = expired.filter { !$0.value.hasClosedOutput }
    for (name, fork) in pending {
      if fork.child.hasClosedOutput {
        fork.completion(.failure(.system(call: "fork", code: ECHILD)))
      } else if pending[name]?.hasExpired(at: readUntil) == true {
        fork.completion(.failure(.system(call: "fork", code: ETIMEDOUT)))
        // Its template may make it all the same; it then finds its lifeline closed.
        fork.child.input.close()
        expired[name] = fork.child
      } else {
        continue
      }
      pending[name] = nil
    }
  }

  /// Returns whether a process is a child of this one, dead or alive: a template's word is not
  /// trusted.
  private static func isOwn(_ pid: Int32) -> Bool {
    guard pid > 0, let state = ChildState(of: pid) else { return false }
    return state != .foreign
  }
}
