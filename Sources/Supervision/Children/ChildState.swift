import PlatformLibraries

/// The state of a child according to the kernel, read without reaping it.
enum ChildState {
  case alive
  case ended
  /// It is no child of this process, or was reaped elsewhere.
  case foreign

  /// - Parameter pid: Greater than zero.
  /// - Returns: `nil` where the kernel does not report it.
  init?(of pid: Int32) {
    var end = siginfo_t()
    if waitid(P_PID, id_t(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 {
      // All zeros while it lives.
      self = end.si_signo == SIGCHLD ? .ended : .alive
    } else if errno == ECHILD {
      self = .foreign
    } else {
      return nil
    }
  }
}
