import Foundation
import Synchronization
import Wire

extension WorkerLine {
  /// Records which process the worker is.
  func begin(as pid: Int32) {
    state.withLock { $0.pid = pid }
    noteReach()
  }

  /// Finds out, while the worker lives, where the kernel would report killing it for lack of
  /// memory.
  func noteReach() {
    guard let kills, let pid = state.withLock({ $0.pid }), let reach = kills.reach(of: pid)
    else { return }
    state.withLock { $0.reach = reach }
  }

  /// Records that this coordinator kills the worker, so that its end needs no other reason.
  func noteKill() { state.withLock { $0.isKilled = true } }

  func death(by status: ExitStatus) -> Death {
    let state = state.withLock { state in
      (
        cause: state.life.end(status), reach: state.isKilled ? nil : state.reach,
        peak: state.peakMemory
      )
    }
    // A stack trace may stand between the reason and the end of the log.
    let words = MemoryWords(log.lastLines(Self.wordsLines))
    var cause = state.cause
    if case .signaled(let signal) = cause {
      if signal == SIGKILL, let reach = state.reach, kills?.explainDeath(in: reach) == true {
        cause = .outOfMemory(OutOfMemory(.killed, had: state.peak, bound: reach.bound))
      } else if Self.crashes.contains(signal), words.tellsOfRefusal {
        cause = .outOfMemory(
          OutOfMemory(.refused, had: words.had, bound: words.bound, wanted: words.wanted)
        )
      }
    }
    return Death(cause: cause, lastLines: Array(words.lines.suffix(Self.lastLines)))
  }

  private static let wordsLines = 200
  private static let lastLines = 20

  /// The signals by which a program ends when it cannot go on.
  private static let crashes: Set<Int32> = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
}
