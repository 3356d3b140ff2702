import Foundation
import Journal
import Transcripts
import Wire

extension Conversation {
  /// Handles an event of a worker.
  ///
  /// Called for one event of a worker at a time.
  func receive(_ event: WorkerEvent, from run: RunID) async {
    do {
      try await writeHeld(before: event, from: run)
      // A worker that has lost its seat has no say any more.
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
    // An event from another worker does not depend on the held entries, and its worker must not
    // find them half written.
    guard turn?.run == run else { return }
    switch event {
    // Asking the model changes nothing.
    case .message(.takesAdmission): break
    // The entry is written together with those that are held.
    case .message(.entry), .message(.unawaitedEntry): await heldWrite?.value
    case .message, .ended: try await writeHeld(of: run)
    }
  }

  private func take(_ message: FromWorker, agent: String) async throws {
    switch message {
    case .ready(let readiness):
      seats[agent]?.isReady = true
      seats[agent]?.model = readiness.model?.name
      if let run = seats[agent]?.link.run { limitFit(of: run) }
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
    case .serverWait(let turn, let wait):
      guard isCurrent(turn, agent) else { return }
      self.turn?.serverWait = AwaitedServer(wait)
      self.turn?.watch(.serverAwaited(agent: agent, wait))
    case .approval(let turn, let callID):
      try askPerson(about: callID, turn: turn, agent: agent)
    case .passBaton(let turn, let callID, let to):
      try passBaton(Pass(from: agent, to: to, callID: callID), turn: turn)
    case .fitted(let turn, let fit):
      if let run = seats[agent]?.link.run { answerFit(.fit(fit), of: run, in: turn) }
    case .phone(let turn, let callID, let friend, let prompt):
      try phone(friend, prompt: prompt, callID: callID, turn: turn, agent: agent)
    case .exhausted(let exhaustion): note(exhaustion, of: agent)
    case .ended(let turn, let ending): try await take(ending, turn: turn, agent: agent)
    case .greeting, .rehearsed, .wantsCores, .adopted, .returnsCores, .forked, .pong, .farewell:
      break
    }
  }

  /// Whether a message concerns the current turn; what workers say of finished turns is ignored.
  func isCurrent(_ turn: Int, _ agent: String) -> Bool {
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

  /// Tells the worker in advance how it may make its next request, so that it need not wait.
  func foretellAdmission() -> AdmissionAnswer? {
    let next = turn?.budget.nextAdmission.map(AdmissionAnswer.init)
    turn?.admissionAhead = next
    return next
  }

  /// Counts a request that was made under an admission given in advance.
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

  /// Adds what a request has used.
  func add(_ figures: RequestFigures, of run: RunID, turn: Int, agent: String) {
    lives[run]?.figures += figures
    used += figures
    // The usage of a tool's own sessions says nothing about the agent's context.
    if figures.seconds > 0 {
      lives[run]?.contextTokens = figures.tokensIn + figures.tokensOut
    }
    if let window = figures.contextSize { windows[agent] = window }
    if isCurrent(turn, agent) {
      self.turn?.figures += figures
      self.turn?.budget.spend(tokens: figures.tokensOut)
    }
  }

  private func take(_ ending: TurnEnding, turn: Int, agent: String) async throws {
    guard isCurrent(turn, agent) else { return }
    if ending.needsOutputs { try checkOutputs(agent: agent) }
    switch ending {
    case .passed where holder == agent:
      let problem = "'\(agent)' ended its part of the turn without passing the baton."
      await endTurn(.failed(problem), reverting: true)
    case .passed:
      // The giver has done its part: what becomes of it now does not affect the turn.
      self.turn?.run = nil
      self.turn?.round = nil
      self.turn?.dropRequest()
      // Concurrently with this message, because the next holder's worker may have to be started.
      Task { await self.goOn(with: Int64(turn)) }
    case .answered: await endTurn(capExit ?? .answered, reverting: false)
    case .modeChanged: await endTurn(capExit ?? .modeChanged, reverting: false)
    case .finalAnswer: await endTurn(.finalAnswer, reverting: false)
    case .cap(let name, let keepsEntries):
      await endTurn(.cap(name), reverting: !keepsEntries)
    case .cancelled: await endTurn(.cancelled, reverting: true)
    case .refused(let reason, let keepsEntries):
      await endTurn(.refused(reason), reverting: !keepsEntries)
    case .failed(_, let keepsEntries)
    where self.turn?.stopping == nil && self.turn?.hasAnswer != true
      && exhaustion(of: agent) != nil:
      await replaceExhausted(agent, keepsEntries: keepsEntries)
    case .failed(let problem, let keepsEntries):
      await endTurn(.failed(problem), reverting: !keepsEntries)
    }
  }

  /// The exit of a turn that answered only because a cap took its tools away.
  var capExit: TurnExit? {
    guard let turn else { return nil }
    return (turn.hasAnswer ? turn.capOfAnswer : turn.budget.reached).map { .cap($0) }
  }
}

extension TurnEnding {
  /// Whether an honest worker ends in this way only when all of its calls have outputs.
  ///
  /// A tool that throws leaves its call without one, also where the profile keeps what was said.
  fileprivate var needsOutputs: Bool {
    switch self {
    case .answered, .modeChanged, .finalAnswer, .passed: true
    case .cap, .cancelled, .refused, .failed: false
    }
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
  /// The admission; `nil` when the request was refused.
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
