import Foundation

/// What the kernel says of a child, which is not reaped by asking.
enum ChildState {
  case alive
  case ended
  /// It is no child of this process, or somebody else has reaped it.
  case foreign

  /// - Parameter pid: Greater than zero.
  /// - Returns: `nil` when the kernel does not say.
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
