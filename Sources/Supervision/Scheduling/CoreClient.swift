import Synchronization
import Wire

/// Carries a process's requests for cores to the arbiter, and the answers back.
final class CoreClient: Sendable {
  enum Phase {
    case idle
    case waiting
    case computing
  }

  private struct State {
    /// Sends to the process; `nil` until it is connected.
    var send: (@Sendable (ToWorker) -> Void)?
    var phase = Phase.idle
    var hasEnded = false
  }

  private let run: RunID
  private let arbiter: any CoreArbiter
  private let priority: CorePriority
  private let state = Mutex(State())

  init(_ run: RunID, arbiter: any CoreArbiter, priority: CorePriority) {
    self.run = run
    self.arbiter = arbiter
    self.priority = priority
  }

  var phase: Phase { state.withLock { $0.phase } }

  func connect(_ send: @escaping @Sendable (ToWorker) -> Void) {
    // The closure retains this object, so it must not be kept once the process is gone.
    state.withLock { if !$0.hasEnded { $0.send = send } }
  }

  /// Handles a message about cores.
  ///
  /// - Returns: Whether the message was about cores.
  func handle(_ message: FromWorker) -> Bool {
    switch message {
    case .wantsCores(let request):
      state.withLock { $0.phase = .waiting }
      let isAhead = !priority.isForeground
      arbiter.ask(run, request: request, isAhead: isAhead) { [weak self] in self?.forward($0) }
      // CorePriority may have arisen while this was asked.
      if isAhead, priority.isForeground { arbiter.raise(run) }
    case .adopted(let grant): arbiter.adopt(run, grant: grant)
    case .returnsCores:
      state.withLock { $0.phase = .idle }
      arbiter.giveBack(run)
    default: return false
    }
    return true
  }

  /// Gives back the cores of a process that is gone.
  func end() {
    state.withLock { ($0.hasEnded, $0.send) = (true, nil) }
    arbiter.giveBack(run)
  }

  private func forward(_ message: ToWorker) {
    let send = state.withLock { state in
      // The process may have withdrawn the request that this answers.
      if case .cores = message, state.phase == .waiting { state.phase = .computing }
      return state.send
    }
    send?(message)
  }
}

/// Whether a turn waits for what a process computes.
///
/// A process that works ahead of need may be raised to the foreground, and stays there.
final class CorePriority: Sendable {
  private let flag: Atomic<Bool>

  init(_ isForeground: Bool) {
    flag = Atomic(isForeground)
  }

  var isForeground: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func raise() { flag.store(true, ordering: .sequentiallyConsistent) }
}
