import Journal
import Transcripts
import Wire

// What the worker that has the turn says, and how it dies.

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
      let call = WorkerCall(run: run, id: id, agent: agent)
      guard isCurrent(turn, run) else {
        if request.isRecord { try team.countStray(of: run, agent: agent) }
        return
      }
      try answer(request, of: call)
    case .unusedAdmission(let turn):
      guard isCurrent(turn, run), generation.openRequest?.texts == 0 else { return }
      generation.openRequest = nil
    case .text(let turn, let change):
      guard isCurrent(turn, run) else { return }
      generation.partial.append(change)
      generation.openRequest?.texts += 1
      show(.text(agent: agent, change))
    case .serverWait(let turn, let wait):
      guard isCurrent(turn, run) else { return }
      generation.serverWait = (wait, clock.now + .seconds(wait.seconds))
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

  private mutating func answer(_ request: WorkerRequest, of call: WorkerCall) throws {
    // A turn that is being stopped begins nothing; the cancellation ends the worker's wait.
    if stopping != nil, case .hostTool = request { return }
    switch request {
    case .admission(let purpose):
      // Asking again abandons the request before.
      guard let lost = generation.openRequest else { return admit(purpose, call) }
      write(.abandonedRequest(tokens: lost.texts), by: call, then: .abandoned(call, purpose))
    case .record(let entries, let usage, let purpose):
      try record(entries, usage, then: purpose, call)
    case .recordEarly(let entry): try recordEarly(entry, call)
    case .recordState(let change): try record(change, call)
    case .hostTool(let callID, .approval): try askPerson(about: callID, call)
    case .hostTool(let callID, .client(let others)):
      try askClient(about: [callID] + others, call)
    case .hostTool(let callID, .passBaton(let agent)):
      try passBaton(Pass(call: call, callID: callID, to: agent))
    case .hostTool(let callID, .phone(let friend, let prompt)):
      try phone(FriendQuestion(callID: callID, friend: friend, prompt: prompt), call)
    case .hostTool(let callID, .mcp(let request, let window)):
      try askServer(MCPCall(call: call, callID: callID, request: request, window: window))
    }
  }

  // MARK: Requests to the model

  private mutating func admit(_ purpose: RequestPurpose, _ call: WorkerCall) {
    generation.isHeard = true
    reply(to: call, .admission(admission(of: purpose)))
  }

  /// Decides on a request to the model, which is open once it is admitted.
  mutating func admission(of purpose: RequestPurpose) -> AdmissionAnswer {
    let budget = state.budget
    switch purpose == .round ? budget.admission : budget.admissionOfSummary {
    case .admitted(let admission):
      generation.openRequest = OpenRequest()
      return .admitted(admission)
    case .refused(let cap):
      generation.openRequest = nil
      return .refused(cap: cap)
    }
  }

  // MARK: What is on disk

  mutating func written(_ facts: [Fact], _ continuation: WriteContinuation) {
    do {
      switch continuation {
      case .entries(let call, let entries, let usage, let purpose):
        try recorded(entries, usage, then: purpose, call)
      case .early(let call, let bytes):
        try quota.count(bytes: bytes)
        reply(to: call, .recorded(AdmittedCalls()))
      case .state(let call, let change, let bytes): try recorded(change, bytes: bytes, call)
      case .abandoned(let call, let purpose):
        generation.openRequest = nil
        admit(purpose, call)
      case .pass(let pass): passed(pass)
      case .question(let call): if let fact = facts.last { asked(fact, call) }
      case .formQuestion(let form): if let fact = facts.last { formAsked(fact, form) }
      case .serverReply(let call, let answer): reply(to: call, .mcp(answer))
      case .decision(let question): if let fact = facts.last { decided(question, fact) }
      case .approvalDelivery(let callID): deliverApproval(of: callID)
      case .clientQuestion: deliverClientOutputs()
      case .clientAnswer(let calls): clientAnswerWritten(calls)
      case .friend(let end, let run): friendEnded(end, run)
      case .death(let run, let agent, let death, let keepsEntries):
        recover(from: death, of: agent, run, keepsEntries: keepsEntries)
      case .end(let end): emit(.finish(end))
      }
    } catch {
      if let run = continuation.run { giveUp(on: run, because: error) }
    }
  }

  /// What cannot be journaled has not happened; the turn must not go on without it.
  mutating func writeFailed(_ error: any Error, _ continuation: WriteContinuation) {
    if case .death(let run, let agent, let death, let keepsEntries) = continuation {
      show(.trouble(String(describing: error)))
      return recover(from: death, of: agent, run, keepsEntries: keepsEntries)
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
    where stopping == nil && !state.hasAnswer && exhaustion(of: agent) != nil:
      replaceExhausted(agent, keepsEntries: keepsEntries)
    case .failed(let problem, let keepsEntries):
      end(.failed(problem), reverting: !keepsEntries)
    }
  }

  private func exhaustion(of agent: String) -> Exhaustion? {
    team.slots[agent].flatMap { team.runs[$0.run]?.exhaustion }
  }

  /// Continues the turn of a worker that failed after it had reached a bound, as if it had died.
  ///
  /// Its own error names what it could not do any more, such as to reach a server.
  private mutating func replaceExhausted(_ agent: String, keepsEntries: Bool) {
    guard let run, let exhaustion = exhaustion(of: agent) else { return }
    team.vacate(run)
    emit(.retire(run))
    let death = Death(cause: .exhausted(exhaustion), lastLines: [])
    recordDeath(death, of: agent, run, keepsEntries: keepsEntries)
  }
}

extension Team {
  /// Handles what a worker says while no turn goes on.
  /// - Returns: Whether the worker has to go, because it writes on for turns that are over.
  mutating func handleIdle(_ message: FromWorker, from run: RunID) -> Bool {
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
  fileprivate var isRecord: Bool {
    switch self {
    case .record, .recordEarly, .recordState: true
    case .admission, .hostTool: false
    }
  }
}

extension WriteContinuation {
  /// The worker that waits for it.
  fileprivate var run: RunID? {
    switch self {
    case .entries(let call, _, _, _), .early(let call, _), .state(let call, _, _),
      .abandoned(let call, _), .question(let call), .serverReply(let call, _),
      .clientQuestion(let call):
      call.run
    case .formQuestion(let form): form.call.call.run
    case .pass(let pass): pass.call.run
    case .death(let run, _, _, _), .friend(_, let run): run
    case .decision, .approvalDelivery, .clientAnswer, .end: nil
    }
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
