import Journal
import Transcripts
import Wire

// What the worker that has the turn says, and what follows once it is written.

extension Turn {
  mutating func receive(_ message: FromWorker, from run: RunID) {
    // What a worker says that has lost its slot is ignored.
    guard let agent = team.agent(of: run) else { return }
    do {
      try take(message, from: run, of: agent)
    } catch {
      giveUp(on: run, because: error)
    }
  }

  private mutating func take(_ message: FromWorker, from run: RunID, of agent: String) throws {
    switch message {
    case .ready(let readiness):
      team.setReady(readiness, agent)
      limitFit(of: run)
    case .unable(let inability): giveUp(on: run, .failed(inability.problem))
    case .request(let id, let turn, let request):
      let pending = PendingRequest(run: run, id: id, agent: agent)
      guard isCurrent(turn, run) else {
        if request.isRecord { try team.countStray(of: run, agent: agent) }
        return
      }
      try handleRequest(request, pending)
    case .unusedAdmission(let turn):
      guard isCurrent(turn, run), progress.openRequest?.texts == 0 else { return }
      progress.openRequest = nil
    case .text(let turn, let change):
      guard isCurrent(turn, run) else { return }
      progress.partial.append(change)
      progress.openRequest?.texts += 1
      show(.text(agent: agent, change))
    case .serverWait(let turn, let wait):
      guard isCurrent(turn, run) else { return }
      progress.serverWait = (wait, clock.now + .seconds(wait.seconds))
      show(.serverAwaited(agent: agent, wait))
    case .fit(let id, let fit): fitAnswered(id, fit, by: run)
    case .exhausted(let exhaustion):
      if team.exhaust(run, exhaustion) {
        show(.trouble("The worker of '\(agent)' will be replaced: \(exhaustion)."))
      }
    case .ended(let turn, let ending):
      if isCurrent(turn, run) { try workerEnded(agent, ending) }
    case .greeting, .rehearsed, .wantsCores, .adopted, .returnsCores, .forked, .pong, .progress,
      .prompt, .farewell:
      break
    }
  }

  /// Whether a message concerns this turn and comes from the worker that has it.
  private func isCurrent(_ turn: Int, _ run: RunID) -> Bool {
    id == Int64(turn) && self.run == run
  }

  private mutating func handleRequest(_ request: WorkerRequest, _ pending: PendingRequest) throws {
    // A turn that is being stopped begins nothing; the cancellation ends the worker's wait.
    if stopping != nil, case .hostTool = request { return }
    switch request {
    case .admission(let purpose):
      // Asking again abandons the request before.
      guard let lost = progress.openRequest else { return admit(purpose, pending) }
      write(
        [.abandonedRequest(tokens: lost.texts)],
        by: pending,
        then: .abandoned(pending, purpose)
      )
    case .record(let entries, let usage, let purpose):
      try record(entries, usage, then: purpose, pending)
    case .recordEarly(let entry): try recordEarly(entry, pending)
    case .recordState(let change): try record(change, pending)
    case .hostTool(let callID, .approval): try askPerson(about: callID, pending)
    case .hostTool(let callID, .client(let others)):
      try askClient(about: [callID] + others, pending)
    case .hostTool(let callID, .passBaton(let agent)):
      try passBaton(PassRequest(pending: pending, callID: callID, to: agent))
    case .hostTool(let callID, .phone(let friend, let prompt)):
      try phone(FriendQuestion(callID: callID, friend: friend, prompt: prompt), pending)
    case .hostTool(let callID, .mcp(let request, let window)):
      try askServer(MCPCall(pending: pending, callID: callID, request: request, window: window))
    }
  }

  // MARK: Requests to the model

  private mutating func admit(_ purpose: RequestPurpose, _ pending: PendingRequest) {
    progress.isHeard = true
    reply(to: pending, .admission(admission(of: purpose)))
  }

  /// Decides on a request to the model, which is open once it is admitted.
  mutating func admission(of purpose: RequestPurpose) -> AdmissionAnswer {
    let budget = state.budget
    switch purpose == .round ? budget.admission : budget.admissionOfSummary {
    case .admitted(let admission):
      progress.openRequest = OpenRequest()
      return .admitted(admission)
    case .refused(let cap):
      progress.openRequest = nil
      return .refused(cap: cap)
    }
  }

  // MARK: What is on disk

  mutating func written(_ facts: [Fact], _ continuation: WriteContinuation) {
    do {
      switch continuation {
      case .entries(let pending, let entries, let usage, let purpose):
        try entriesWritten(entries, usage, then: purpose, pending)
      case .early(let pending, let bytes):
        try quota.count(bytes: bytes)
        reply(to: pending, .recorded(AdmittedCalls()))
      case .state(let pending, let change, let bytes):
        try stateChangeWritten(change, bytes: bytes, pending)
      case .abandoned(let pending, let purpose):
        progress.openRequest = nil
        admit(purpose, pending)
      case .pass(let pass): passWritten(pass)
      case .question: if let fact = facts.last { questionWritten(fact) }
      case .formQuestion(let form): if let fact = facts.last { formQuestionWritten(fact, form) }
      case .requestQuestion(let call):
        if let fact = facts.last { requestQuestionWritten(fact, call) }
      case .serverReply(let pending, let answer): reply(to: pending, .mcp(answer))
      case .decision(let question): if let fact = facts.last { decisionWritten(question, fact) }
      case .approvalDelivery(let callID): deliverApproval(of: callID)
      case .clientQuestion: deliverClientOutputs()
      case .clientAnswer(let calls): clientAnswerWritten(calls)
      case .friend(let end, let run): friendEndWritten(end, run)
      case .death(_, let agent, let death, let keepsEntries):
        deathWritten(death, of: agent, keepsEntries: keepsEntries)
      // A turn that has ended is handled apart.
      case .end: break
      }
    } catch {
      if let run = continuation.run { giveUp(on: run, because: error) }
    }
  }

  /// What cannot be journaled has not happened; the turn must not go on without it.
  mutating func writeFailed(_ error: any Error, _ continuation: WriteContinuation) {
    if case .friend(let end, let run) = continuation {
      for effect in team.handleIdle(.friendEnded(end, run: run)) { emit(effect) }
    }
    if case .death(_, let agent, let death, let keepsEntries) = continuation {
      show(.trouble(String(describing: error)))
      return deathWritten(death, of: agent, keepsEntries: keepsEntries)
    }
    guard let run = continuation.run ?? run else {
      return end(.failed(String(describing: error)), reverting: true)
    }
    giveUp(on: run, because: error)
    // The worker may have been replaced since, and its turn cannot go on either.
    if phase != .ended { end(.failed(String(describing: error)), reverting: true) }
  }

  // MARK: The end of the worker's part

  private mutating func workerEnded(_ agent: String, _ ending: TurnEnding) throws {
    if ending.needsOutputs, let call = state.round?.calls.first {
      throw ConversationError.missingOutput(call, agent: agent)
    }
    switch ending {
    case .passed where state.baton.holder == agent:
      let problem = "'\(agent)' ended its part of the turn without passing the baton."
      end(.failed(problem), reverting: true)
    case .passed:
      // The giver has done its part: what becomes of it now does not affect the turn.
      unassign()
      goOn()
    case .answered: end(state.exitOfAnswer, reverting: false)
    case .modeChanged:
      end(state.capOfAnswer.map(TurnExit.cap) ?? .modeChanged, reverting: false)
    case .finalAnswer: end(.finalAnswer, reverting: false)
    case .cap(let name, let keepsEntries): end(.cap(name), reverting: !keepsEntries)
    case .cancelled: end(.cancelled, reverting: true)
    case .contextSizeExceeded(let problem, let keepsEntries):
      end(.contextSizeExceeded(problem), reverting: !keepsEntries)
    case .refused(let reason, let keepsEntries):
      end(.refused(reason), reverting: !keepsEntries)
    case .failed(_, let keepsEntries)
    where stopping == nil && !state.hasAnswer && team.exhaustion(of: agent) != nil:
      replaceExhausted(agent, keepsEntries: keepsEntries)
    case .failed(let problem, let keepsEntries):
      end(.failed(problem), reverting: !keepsEntries)
    }
  }

  /// Continues the turn of a worker that failed after it had reached a bound, as if it had died.
  ///
  /// Its own error names what it could not do any more, such as to reach a server.
  private mutating func replaceExhausted(_ agent: String, keepsEntries: Bool) {
    guard let run, let exhaustion = team.exhaustion(of: agent) else { return }
    team.vacate(run)
    withdrawRequests { call, _ in call.pending.run == run }
    emit(.retire(run))
    let death = Death(cause: .exhausted(exhaustion), lastLines: [])
    let tokens = team.runs[run]?.usage.tokensOut ?? 0
    recordDeath(death, of: agent, run, tokens: tokens, keepsEntries: keepsEntries)
  }
}

extension Team {
  /// The bound that an agent's worker has reached.
  fileprivate func exhaustion(of agent: String) -> Exhaustion? {
    slots[agent].flatMap { runs[$0.run]?.exhaustion }
  }
}

extension TurnEnding {
  /// Whether an honest worker ends in this way only when all of its calls have outputs.
  ///
  /// A tool that throws leaves its call without one, also where the profile keeps what was said.
  fileprivate var needsOutputs: Bool {
    switch self {
    case .answered, .modeChanged, .finalAnswer, .passed: true
    case .cap, .cancelled, .contextSizeExceeded, .refused, .failed: false
    }
  }
}
