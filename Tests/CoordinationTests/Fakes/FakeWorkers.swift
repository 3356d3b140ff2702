import AgentKit
import Coordination
import Synchronization
import Wire

/// The behavior of a fake worker.
typealias Script = @Sendable (FakeWorker) async throws -> Void

/// Launches fake workers that run the scripts of their agents.
final class FakeWorkers: Workers {
  private struct State {
    var launched: [FakeWorker] = []
    var scripts: [String: Script]
    var gate: Signal?
    /// The agent whose launches wait for `gate`; `nil` for all agents.
    var held: String?
    var problem: (any Error)?
    var fits: [String: ContextFit?] = [:]
    var wait: LaunchWait?
    /// How many launches wait for memory.
    var waiting = 0
    /// The host that the launches of an agent wait for, until a signal fires.
    var away: (agent: String, wait: HostWait, gate: Signal)?
    /// What fires when an agent's worker is handed over.
    var handOvers: [String: Signal] = [:]
    var lendsSpares = false
    /// The hosts on which agents run; others run here.
    var hosts: [String: String] = [:]
  }

  /// Fires when a worker is requested.
  let asked = Signal()
  private let state: Mutex<State>

  init(_ scripts: [String: Script]) {
    state = Mutex(State(scripts: scripts))
  }

  var launched: [FakeWorker] { state.withLock { $0.launched } }

  var living: [FakeWorker] { launched.filter { !$0.hasEnded } }

  func of(_ agent: String) -> [FakeWorker] { launched.filter { $0.agent.name == agent } }

  func play(_ agent: String, _ script: @escaping Script) {
    state.withLock { $0.scripts[agent] = script }
  }

  /// Holds back the launches of one agent, or of all agents, until a signal fires.
  func hold(_ agent: String? = nil, until gate: Signal) {
    state.withLock { ($0.held, $0.gate) = (agent, gate) }
  }

  /// Sets the context fit that an agent's workers report; `nil` makes them report none.
  func fit(_ agent: String, _ fit: ContextFit?) {
    state.withLock { $0.fits[agent] = .some(fit) }
  }

  /// Makes all launches fail.
  func fail(with problem: any Error) { state.withLock { $0.problem = problem } }

  /// How many launches wait for memory.
  var waiting: Int { state.withLock { $0.waiting } }

  /// Makes all launches wait for memory until they are cancelled.
  func beShort(_ wait: LaunchWait?) { state.withLock { $0.wait = wait } }

  /// Makes the launches of an agent wait for a host until a signal fires.
  func beAway(_ wait: HostWait, of agent: String, until gate: Signal) {
    state.withLock { $0.away = (agent, wait, gate) }
  }

  /// Fires a signal whenever a worker of an agent is launched, just before its conversation has it.
  func announce(_ agent: String, by signal: Signal) {
    state.withLock { $0.handOvers[agent] = signal }
  }

  /// Makes all launches return spares, which have runs of their own.
  func lendSpares() { state.withLock { $0.lendsSpares = true } }

  /// Has the workers of an agent run on a host.
  func place(_ agent: String, on host: String) { state.withLock { $0.hosts[agent] = host } }

  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    asked.fire()
    let gate = state.withLock { $0.held == nil || $0.held == agent.name ? $0.gate : nil }
    if let gate { await gate.wait() }
    if let away = state.withLock({ $0.away }), away.agent == agent.name {
      onWait(.host(away.wait))
      await away.gate.wait()
      try Task.checkCancellation()
    }
    if let wait = state.withLock({ $0.wait }) {
      state.withLock { $0.waiting += 1 }
      defer { state.withLock { $0.waiting -= 1 } }
      onWait(.memory(wait))
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    let (worker, script, handOver) = try state.withLock { state in
      if let problem = state.problem { throw problem }
      let pid = Int32(1000 + state.launched.count)
      let own = state.lendsSpares ? RunID.new(agent: agent.name) : run
      let worker = FakeWorker(agent, run: own, pid: pid, host: state.hosts[agent.name])
      if let fit = state.fits[agent.name] { worker.fit(fit) }
      state.launched.append(worker)
      return (worker, state.scripts[agent.name], state.handOvers[agent.name])
    }
    // Runs the worker's life independently, as its own process would.
    Task {
      do {
        try await script?(worker)
      } catch is WorkerGone {
        return
      } catch {
        worker.end(.exited(code: 70), lastLines: [String(describing: error)])
      }
    }
    handOver?.fire()
    return worker
  }
}

/// Returns a script that plays every turn the same way until the worker ends.
/// - Parameter saysReady: Whether the worker announces that it is ready, which limits the time in
///   which it has to say whether a history fits.
func serving(
  saysReady: Bool = true,
  _ part: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
) -> Script {
  { worker in
    if saysReady { try worker.sayReady() }
    while true {
      let message = try await worker.hear { if case .turn = $0 { true } else { false } }
      guard case .turn(let order) = message else { continue }
      try worker.begin(order)
      let ending: TurnEnding
      do {
        ending = try await part(FakeTurn(worker: worker, order: order))
      } catch is TurnCancelled {
        ending = .cancelled
      } catch let reached as CapReached {
        ending = .cap(reached.cap)
      }
      try worker.say(.ended(turn: order.turn, ending))
    }
  }
}

/// Returns a script that plays a different part in each successive worker.
///
/// The last part is played by all workers that follow.
func lives(_ parts: @Sendable (FakeTurn) async throws -> TurnEnding...) -> Script {
  let born = Counter()
  return { worker in
    let life = born.next()
    try await serving(parts[min(life, parts.count - 1)])(worker)
  }
}

/// Returns a script that answers every turn with the same text.
func answering(_ text: String) -> Script {
  serving { try await $0.answer(text) }
}

/// An event that happens once and can be awaited.
final class Signal: Sendable {
  private struct State {
    var hasFired = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func fire() {
    let waiting = state.withLock { state in
      state.hasFired = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until it has fired.
  ///
  /// Cancelling the test fires it, so that the time limit of its suite can end the test.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasFired = state.withLock { state in
          if !state.hasFired { state.waiting.append(continuation) }
          return state.hasFired
        }
        if hasFired { continuation.resume() }
      }
    } onCancel: {
      fire()
    }
  }
}

private final class Counter: Sendable {
  private let value = Mutex(0)

  func next() -> Int {
    value.withLock { value in
      defer { value += 1 }
      return value
    }
  }
}
