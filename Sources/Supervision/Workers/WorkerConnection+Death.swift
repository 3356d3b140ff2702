import CSystemCalls
import PlatformLibraries
import Synchronization
import Wire

extension WorkerConnection {
  /// The most lines of a log that a stack trace may take after the reason.
  private static let searchedLines = 200
  private static let lastLines = 20
  /// The signals by which a program ends when it cannot go on.
  private static let crashes: Set<Int32> = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Records that this coordinator kills the worker, so that its end needs no other reason.
  func recordKill() { state.withLock { $0.isKilled = true } }

  func death(by status: ExitStatus) -> Death {
    var (cause, isKilled) = state.withLock { ($0.machine.end(status), $0.isKilled) }
    let lines = log.lastLines(Self.searchedLines)
    let report = lines.lazy.compactMap(OutOfMemory.init(crashReport:)).first
    switch cause {
    case .signaled(SIGKILL) where !isKilled && kills?.explainDeath() == true:
      cause = .outOfMemory(.killed)
    case .signaled(let signal) where Self.crashes.contains(signal):
      if let report { cause = .outOfMemory(report) }
    default: break
    }
    let others = lines.filter { OutOfMemory(crashReport: $0) == nil }
    return Death(cause: cause, lastLines: Array(others.suffix(Self.lastLines)))
  }
}
