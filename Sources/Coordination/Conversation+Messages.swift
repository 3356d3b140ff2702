import AgentKit
import Foundation
import Journal
import Wire

extension Conversation {
  /// Takes what a worker says.
  ///
  /// Called for one event of a worker after the other.
  func receive(_ event: WorkerEvent, from run: RunID) async {
    do {
      try await writeHeld(before: event, from: run)
      // One that has lost its seat has nothing to say any more.
      if case .message(let message) = event, let agent = agent(of: run) {
        try await take(message, agent: agent)
      }
    } catch {
      // What cannot be journaled has not happened; the turn must not go on without it.
      await giveUp(on: run, because: error)
    }
    if case .ended(let death) = event { await end(of: run, death) }
  }

  private func writeHeld(before event: WorkerEvent, from run: RunID) async throws {
    // From what another worker says, nothing follows for what is held, and its worker must not find it
    // half written.
    guard turn?.run == run else { return }
    switch event {
    // A model that is asked changes nothing.
    case .message(.takesAdmission): break
    // It is written with what is held.
    case .message(.entry), .message(.unawaitedEntry): await heldWrite?.value
    case .message, .ended: try await writeHeld(of: run)
    }
  }

  private func take(_ message: FromWorker, agent: String) async throws {
    switch message {
    case .ready(let readiness):
      seats[agent]?.isReady = true
      seats[agent]?.model = readiness.model?.name
    case .unable(let inability):
      guard let run = seats[agent]?.link.run else { return }
      await giveUp(on: run, .failed(inability.problem))
    case .admission(let turn, _, _):
      try admit(turn: turn, agent: agent) { $0.admitRound() }
    case .admissionOfSummary(let turn):
      try admit(turn: turn, agent: agent) { $0.admitSummary() }
    case .takesAdmission(let turn): try takeAdmission(turn: turn, agent: agent)
    case .entry(let turn, let entry, let figures):
      try await keep(entry, figures: figures, turn: turn, agent: agent)
    case .unawaitedEntry(let turn, let entry, let figures):
      try await hold(entry, figures: figures, turn: turn, agent: agent)
    case .earlyOutput(let turn, let entry):
      try await keepEarly(entry, turn: turn, agent: agent)
    case .settle(let turn):
      guard isCurrent(turn, agent) else { return }
      try seats[agent]?.link.send(.settled(turn: turn))
    case .state(let turn, let change): try await keep(change, turn: turn, agent: agent)
    case .text(let turn, let change):
      guard isCurrent(turn, agent) else { return }
      self.turn?.note(change)
      self.turn?.watch(.text(agent: agent, change))
    case .approval(let turn, let callID):
      try askPerson(about: callID, turn: turn, agent: agent)
    case .passBaton(let turn, let callID, let to):
      try passBaton(Pass(from: agent, to: to, callID: callID), turn: turn)
    case .fitted(let turn, let fit):
      if let run = seats[agent]?.link.run { answerFit(.fit(fit), of: run, in: turn) }
    case .phone(let turn, let callID, let friend, let prompt):
      try phone(friend, prompt: prompt, callID: callID, turn: turn, agent: agent)
    case .ended(let turn, let ending): await take(ending, turn: turn, agent: agent)
    case .greeting, .rehearsed, .wantsCores, .adopted, .returnsCores, .forked, .pong, .farewell:
      break
    }
  }

  /// What a worker says of a turn that is over is nobody's any more.
  func isCurrent(_ turn: Int, _ agent: String) -> Bool {
    // In place: a turn is large, and every message asks.
    self.turn?.id == Int64(turn) && self.turn?.run == seats[agent]?.link.run
  }

  private func admit(
    turn: Int,
    agent: String,
    _ decide: (inout Budget) -> Budget.Admission
  ) throws {
    guard isCurrent(turn, agent) else { return }
    self.turn?.dropRequest()
    guard var budget = self.turn?.budget else { return }
    let admission = decide(&budget)
    self.turn?.budget = budget
    self.turn?.isHeard = true
    self.turn?.admissionAhead = nil
    self.turn?.openRequest = admission.roundAdmission.map(OpenRequest.init)
    try seats[agent]?.link.send(.admitted(turn: turn, AdmissionAnswer(admission)))
  }

  /// Says how the next request may be made before it is asked: it need not wait for the answer then.
  func foretellAdmission() -> AdmissionAnswer? {
    let next = turn?.budget.nextAdmission.map(AdmissionAnswer.init)
    turn?.admissionAhead = next
    return next
  }

  /// Counts a request that is made as it was said before that it may be.
  private func takeAdmission(turn: Int, agent: String) throws {
    guard isCurrent(turn, agent) else { return }
    self.turn?.isHeard = true
    let ahead = self.turn?.admissionAhead.take()
    guard let ahead, let admission = self.turn?.budget.admitRound(),
      AdmissionAnswer(admission) == ahead
    else { throw ConversationError.strayRequest(agent: agent) }
    self.turn?.dropRequest()
    self.turn?.openRequest = admission.roundAdmission.map(OpenRequest.init)
  }

  /// Counts what a request has used.
  func add(_ figures: RequestFigures, of run: RunID, turn: Int, agent: String) {
    lives[run]?.figures += figures
    used += figures
    // What a tool's own sessions have used says nothing of the agent's context.
    if figures.seconds > 0 {
      lives[run]?.contextTokens = figures.tokensIn + figures.tokensOut
    }
    if let window = figures.contextSize { windows[agent] = window }
    if isCurrent(turn, agent) {
      self.turn?.figures += figures
      self.turn?.budget.spend(tokens: figures.tokensOut)
    }
  }

  private func take(_ ending: TurnEnding, turn: Int, agent: String) async {
    guard isCurrent(turn, agent) else { return }
    switch ending {
    case .passed where holder == agent:
      let problem = "'\(agent)' ended its part of the turn without passing the baton."
      await endTurn(.failed(problem), reverting: true)
    case .passed:
      // The giver has done its part: whatever becomes of it now is not the turn's concern.
      self.turn?.run = nil
      self.turn?.round = nil
      self.turn?.dropRequest()
      // Beside this message, because a worker may have to be started for the next holder.
      Task { await self.goOn(with: Int64(turn)) }
    case .answered: await endTurn(capExit ?? .answered, reverting: false)
    case .modeChanged: await endTurn(capExit ?? .modeChanged, reverting: false)
    case .finalAnswer: await endTurn(.finalAnswer, reverting: false)
    case .cap(let name): await endTurn(.cap(name), reverting: true)
    case .cancelled: await endTurn(.cancelled, reverting: true)
    case .refused(let reason, let keepsEntries):
      await endTurn(.refused(reason), reverting: !keepsEntries)
    case .failed(let problem, let keepsEntries):
      await endTurn(.failed(problem), reverting: !keepsEntries)
    }
  }

  /// A turn that answered only because a cap took its tools away says so.
  var capExit: TurnExit? {
    guard let turn else { return nil }
    return (turn.hasAnswer ? turn.capOfAnswer : turn.budget.reached).map { .cap($0) }
  }
}

extension RequestRecord {
  init(_ figures: RequestFigures) {
    self.init(
      tokensIn: figures.tokensIn,
      tokensCached: figures.tokensCached,
      tokensOut: figures.tokensOut,
      secondsToFirstToken: figures.secondsToFirstToken,
      seconds: figures.seconds,
      cacheBreak: figures.cacheBreak?.description,
      contextSize: figures.contextSize
    )
  }
}

extension Budget.Admission {
  /// What is admitted; `nil` where nothing is.
  fileprivate var roundAdmission: RoundAdmission? {
    if case .admitted(let admission) = self { admission } else { nil }
  }
}

extension AdmissionAnswer {
  fileprivate init(_ admission: Budget.Admission) {
    switch admission {
    case .admitted(let admission): self = .admitted(admission)
    case .refused(let cap): self = .refused(cap: cap)
    }
  }
}
