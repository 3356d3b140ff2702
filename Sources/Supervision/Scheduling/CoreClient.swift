import Synchronization
import Wire

/// Carries one process's questions about cores to the arbiter, and the answers back.
final class CoreLine: Sendable {
  /// Where a process stands with the arbiter.
  enum Standing {
    case none
    case waiting
    case computing
  }

  private struct State {
    /// Sends to the process; `nil` until it is connected.
    var send: (@Sendable (ToWorker) -> Void)?
    var standing = Standing.none
    var isOver = false
  }

  private let run: RunID
  private let arbiter: any CoreArbiter
  private let demand: Demand
  private let state = Mutex(State())

  init(_ run: RunID, arbiter: any CoreArbiter, demand: Demand) {
    self.run = run
    self.arbiter = arbiter
    self.demand = demand
  }

  var standing: Standing { state.withLock { $0.standing } }

  func connect(_ send: @escaping @Sendable (ToWorker) -> Void) {
    // The closure retains this line, so it must not be kept once the process is gone.
    state.withLock { if !$0.isOver { $0.send = send } }
  }

  /// Handles a message about cores.
  ///
  /// - Returns: Whether the message was about cores.
  func take(_ message: FromWorker) -> Bool {
    switch message {
    case .wantsCores(let request):
      state.withLock { $0.standing = .waiting }
      let isAhead = !demand.isThere
      arbiter.ask(run, request: request, isAhead: isAhead) { [weak self] in self?.tell($0) }
      // Demand may have arisen while this was asked.
      if isAhead, demand.isThere { arbiter.raise(run) }
    case .adopted(let grant): arbiter.adopt(run, grant: grant)
    case .returnsCores:
      state.withLock { $0.standing = .none }
      arbiter.giveBack(run)
    default: return false
    }
    return true
  }

  /// Gives back the cores of a process that is gone.
  func end() {
    state.withLock { ($0.isOver, $0.send) = (true, nil) }
    arbiter.giveBack(run)
  }

  private func tell(_ message: ToWorker) {
    let send = state.withLock { state in
      // The process may have withdrawn the request that this answers.
      if case .cores = message, state.standing == .waiting { state.standing = .computing }
      return state.send
    }
    send?(message)
  }
}

/// Whether somebody waits for what a process computes.
///
/// Demand may arise while the process works, and never goes away again.
final class Demand: Sendable {
  private let flag: Atomic<Bool>

  init(_ isThere: Bool) {
    flag = Atomic(isThere)
  }

  var isThere: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func arise() { flag.store(true, ordering: .sequentiallyConsistent) }
}
