import Synchronization
import Wire

/// Carries what one process asks about cores to whoever decides, and the answers back.
final class CoreLine: Sendable {
  /// How a process stands to the cores.
  enum Standing {
    case none
    case waiting
    case computing
  }

  private struct State {
    /// Sends to the process; `nil` until it has one to send to.
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
    // What sends to the process holds on to this.
    state.withLock { if !$0.isOver { $0.send = send } }
  }

  /// Takes a message; returns whether it was about cores.
  func take(_ message: FromWorker) -> Bool {
    switch message {
    case .wantsCores(let request):
      state.withLock { $0.standing = .waiting }
      let isAhead = !demand.isThere
      arbiter.ask(run, request: request, isAhead: isAhead) { [weak self] in self?.tell($0) }
      // It may have come while this was asked.
      if isAhead, demand.isThere { arbiter.raise(run) }
    case .adopted(let grant): arbiter.adopt(run, grant: grant)
    case .returnsCores:
      state.withLock { $0.standing = .none }
      arbiter.giveBack(run)
    default: return false
    }
    return true
  }

  /// The process is gone.
  func end() {
    state.withLock { ($0.isOver, $0.send) = (true, nil) }
    arbiter.giveBack(run)
  }

  private func tell(_ message: ToWorker) {
    let send = state.withLock { state in
      // It may have given up the wish for which this comes.
      if case .cores = message, state.standing == .waiting { state.standing = .computing }
      return state.send
    }
    send?(message)
  }
}

/// Whether somebody waits for what a process computes.
///
/// It may come while the process works, and does not go.
final class Demand: Sendable {
  private let flag: Atomic<Bool>

  init(_ isThere: Bool) {
    flag = Atomic(isThere)
  }

  var isThere: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func arise() { flag.store(true, ordering: .sequentiallyConsistent) }
}
