import Journal
import Wire

// Workers while no turn goes on.

extension Team {
  /// Handles what concerns the workers alone, because no turn goes on or the turn that it was for is
  /// over.
  mutating func handleIdle(_ input: Input) -> [Effect] {
    switch input {
    case .message(let message, let run):
      return handleIdle(message, from: run) ? [.retire(run)] : []
    case .launched(let worker, _): return [.retire(worker.run)]
    case .died(let run, _):
      vacate(run)
      return remove(run)
    case .unsendable(let run, _):
      vacate(run)
      return [.retire(run)]
    case .timer(.stop(let run, let seconds)) where runs[run]?.isFriend == true:
      // A friend's turn ends at once when it is stopped, and its worker is to follow.
      return [.kill(run, .hung(seconds: seconds))]
    case .friendEnded(let end, let run):
      addFriendUsage(end.usage, of: run)
      return [.forgetFriend(conversation: end.conversation)]
    default: return []
    }
  }

  /// Forgets a worker that has ended.
  mutating func remove(_ run: RunID) -> [Effect] {
    guard let gone = runs.removeValue(forKey: run)?.friendGone else { return [] }
    return [.show(gone)]
  }

  /// Handles what a worker says while no turn goes on.
  /// - Returns: Whether the worker has to go, because it writes on for turns that are over.
  private mutating func handleIdle(_ message: FromWorker, from run: RunID) -> Bool {
    guard let agent = agent(of: run) else { return false }
    switch message {
    case .ready(let readiness): setReady(readiness, agent)
    case .exhausted(let exhaustion): _ = exhaust(run, exhaustion)
    case .request(_, _, let request) where request.isRecord:
      do {
        try countStray(of: run, agent: agent)
      } catch {
        vacate(run)
        return true
      }
    default: break
    }
    return false
  }
}

extension WorkerRequest {
  /// Whether it has something journaled.
  var isRecord: Bool {
    switch self {
    case .record, .recordEarly, .recordState: true
    case .admission, .hostTool: false
    }
  }
}
