import Transcripts
import Wire

// Giving the turn to a worker.

extension Turn {
  /// Begins a turn, or takes up one that an earlier coordinator began.
  mutating func begin() {
    // An earlier coordinator may not have shown the answer.
    if state.hasAnswer, let text = state.answer?.text {
      show(.answered(agent: state.baton.holder, text: text))
    }
    if let delay = settings.delay { return emit(.start(.restart, after: delay)) }
    goOn()
  }

  /// Gives a turn that no worker has to one.
  mutating func goOn() {
    guard case .starting = phase else { return }
    if let stopping { return end(stopping, reverting: true) }
    if state.hasAnswer { return end(state.exitOfAnswer, reverting: false) }
    give(to: state.round?.agent ?? state.baton.holder)
  }

  mutating func give(to agent: String) {
    progress.attempts += 1
    unassign()
    emit(.findAgent(named: agent, .answer(attempt: progress.attempts)))
  }

  /// Takes the turn from its worker.
  mutating func unassign() { phase = .starting(attempt: progress.attempts) }

  /// Finds a worker for an agent, or has one launched.
  mutating func agentFound(
    _ agent: LaunchableAgent?,
    named name: String,
    _ purpose: WorkerPurpose
  ) {
    guard isWanted(name, purpose) else { return }
    guard let agent else { return assign(name, purpose, .noAgent(name)) }
    if team.worker(of: agent) != nil { return assign(name, purpose, nil) }
    // The plugin changed, or the worker has used something up: the turn goes to a new process.
    if let former = team.slots[name]?.run {
      team.vacate(former)
      emit(.retire(former))
    }
    emit(.launch(agent, purpose))
  }

  /// Whether a worker is still wanted: the turn may be with another by now, or be stopped.
  private func isWanted(_ agent: String, _ purpose: WorkerPurpose) -> Bool {
    guard case .answer(let attempt) = purpose else {
      return stopping == nil && passing.awaits(agent)
    }
    return phase == .starting(attempt: attempt)
  }

  mutating func launched(_ worker: LaunchedWorker, _ purpose: WorkerPurpose) {
    team.add(worker, turn: id, isFriend: settings.isFriend)
    if settings.isFriend { show(worker.friendPhoned) }
    assign(worker.agent.name, purpose, nil)
  }

  /// Gives an agent's worker what it is wanted for.
  mutating func assign(
    _ agent: String,
    _ purpose: WorkerPurpose,
    _ problem: LaunchProblem?
  ) {
    guard isWanted(agent, purpose) else { return }
    if purpose == .fit { return askFit(of: agent, problem) }
    if let problem { return end(.failed(String(describing: problem)), reverting: true) }
    // A worker that is gone again is replaced by one that is launched.
    guard let slot = team.slots[agent] else { return give(to: agent) }
    phase = .running(slot.run)
    progress.begin()
    emit(.order(slot.run, order(for: slot).goingOn(with: state, as: agent), .turn))
    team.setKnown(state.history.count, by: agent)
    team.setKnown(state.properties, by: agent)
    team.runs[slot.run]?.strays = 0
  }

  /// The order that brings a worker fully up to date.
  func order(for slot: AgentSlot) -> TurnOrder {
    TurnOrder(
      state,
      for: slot,
      traceparent: settings.traceparent,
      widestWindow: team.widestWindow(besides: slot.agent.name),
      secondsLeft: clock.secondsLeft
    )
  }
}
