import Foundation
import Journal
import Transcripts
import Wire

/// A turn while it goes on.
///
/// A pure value. `handle(_:)` decides and says what is to be done; it neither waits nor starts
/// anything. What happened is in `state`, which only facts on disk change; everything else here is lost
/// with the coordinator, and a turn that is taken up does without it.
struct Turn: Sendable {
  let settings: Settings
  private(set) var state: TurnState
  /// The workers of the conversation, which the turn has while it goes on.
  var team: Team
  var phase = Phase.starting(attempt: 0)
  /// Why the turn is being stopped; `nil` while it goes on.
  var stopping: TurnExit?
  /// Whether a person is present who can be asked.
  var isAttended: Bool
  var quota: Quota
  /// How far it has come, beside what is in its facts.
  var progress = TurnProgress()
  var passing = BatonPassing()
  var waiting = WaitingCalls()
  /// What was decided on and is not done yet.
  private(set) var effects: [Effect] = []
  var clock: TurnClock

  struct Settings: Sendable {
    let isFriend: Bool
    /// Whether an earlier coordinator began the turn.
    let isResumed: Bool
    /// How long it waits before it goes on, for what an earlier coordinator may have left running.
    let delay: Duration?
    /// The session as people know it.
    let session: String
    /// The span in which servers are asked.
    let traceparent: String?
    let stopPatience: Duration
    let fitPatience: Duration
    let approvalPatience: Duration
  }

  enum Phase: Sendable, Equatable {
    /// The turn is on its way to a worker.
    case starting(attempt: Int)
    case running(RunID)
    case ended
  }

  init(_ state: TurnState, _ team: Team, isAttended: Bool, settings: Settings, clock: TurnClock) {
    self.state = state
    self.team = team
    self.isAttended = isAttended
    self.settings = settings
    self.clock = clock
    quota = Quota(state.budget)
  }

  var id: Int64 { state.id }

  /// The worker that is answering.
  var run: RunID? { if case .running(let run) = phase { run } else { nil } }

  /// Whether a worker has something to do: to answer, or to say whether it can take the baton.
  func needs(_ run: RunID) -> Bool { self.run == run || passing.question?.run == run }

  /// Takes the workers from their slots that have nothing to do, and whose agents do not hold the baton
  /// and are not about to.
  mutating func vacateIdle() -> [RunID] {
    let turn = self
    let holders = [state.baton.holder, passing.queue.first?.to]
    return team.vacateIdle { turn.needs($0.run) || holders.contains($0.agent.name) }
  }

  /// Decides on an input.
  /// - Returns: What is to be done, in order.
  mutating func handle(_ input: Input, at clock: TurnClock) -> [Effect] {
    self.clock = clock
    effects = []
    for fact in input.facts { state.apply(fact) }
    if phase == .ended {
      handleAfterEnd(input)
    } else {
      decide(on: input)
    }
    return effects
  }

  /// A turn that has ended waits for its end to be written, and for nothing else.
  private mutating func handleAfterEnd(_ input: Input) {
    switch input {
    case .written(_, .end(let end)): finish(end)
    case .writeFailed(let error, .end(let end)): finish(end, notWrittenBecause: error)
    default: effects += team.handleIdle(input)
    }
  }

  private mutating func decide(on input: Input) {
    switch input {
    case .begin: begin()
    case .message(let message, let run): receive(message, from: run)
    case .died(let run, let death): workerDied(run, death)
    case .agentFound(let agent, let name, let purpose): agentFound(agent, named: name, purpose)
    case .launched(let worker, let purpose): launched(worker, purpose)
    case .launchFailed(let agent, let purpose, let problem):
      assign(agent, purpose, .failed(problem))
    case .written(let facts, let continuation): written(facts, continuation)
    case .writeFailed(let error, let continuation): writeFailed(error, continuation)
    case .friendBegun(let request, let friend): friendBegun(request, friend)
    case .friendFailed(let request, let error):
      reply(to: request.pending, .friend(.failed(String(describing: error))))
      phoneNext()
    case .friendEnded(let end, let run): friendEnded(end, run)
    case .decided(let question, let decision): decided(decision, on: question)
    case .clientAnswered(let outputs, let request): clientAnswered(outputs, request: request)
    case .superseded: supersede()
    case .approvalChecked(let call, let needsApproval):
      approvalChecked(call, needsApproval: needsApproval)
    case .serverProgressed(let call, let progress): serverProgressed(call, progress)
    case .serverAsked(let form, let content): serverAsked(form, content)
    case .serverAnswered(let call, let answer): serverAnswered(call, answer)
    case .timer(let timer): fired(timer)
    case .unsendable(let run, let error): giveUp(on: run, because: error)
    case .stop(let exit, let leavesOpen): stop(exit, leavesOpen: leavesOpen)
    }
  }

  // MARK: Effects

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  mutating func show(_ event: TurnEvent) { emit(.show(event)) }

  mutating func reply(to pending: PendingRequest, _ reply: WorkerReply) {
    emit(.send(pending.run, .reply(id: pending.id, reply)))
  }

  mutating func write(
    _ events: [Fact.Event],
    by pending: PendingRequest? = nil,
    then continuation: WriteContinuation
  ) {
    emit(.write(events, agent: pending?.agent, run: pending?.run, continuation))
  }

  // MARK: Ending

  private mutating func fired(_ timer: TurnTimer) {
    switch timer {
    case .restart: goOn()
    case .stop(let run, let seconds):
      guard stopping != nil else { return }
      kill(run, .hung(seconds: seconds))
      end(stopping ?? .cancelled, reverting: true)
    case .fit(let id): fitOverdue(id)
    }
  }

  mutating func stop(_ exit: TurnExit, leavesOpen: Bool) {
    // What is over already cannot be taken back.
    guard stopping == nil else { return }
    if leavesOpen, settings.isResumed || state.waitsForClient { progress.isLeftOpen = true }
    stopping = exit
    cancelPendingWork()
    // No worker has the turn, so there is none to wait for, and none should be started.
    guard let run, team.agent(of: run) != nil else { return end(exit, reverting: true) }
    let cap: String? = if case .cap(let name) = exit { name } else { nil }
    emit(.send(run, .cancel(turn: Int(id), cap: cap)))
    let patience = settings.stopPatience
    emit(.start(.stop(run, seconds: Int(patience.components.seconds)), after: patience))
    // The caller needs its remaining time, and a friend's worker has no further turn.
    if settings.isFriend { end(exit, reverting: true) }
  }

  /// Ends what the turn no longer wants.
  private mutating func cancelPendingWork() {
    passing = BatonPassing()
    for question in waiting.questions.values {
      show(.approvalAnswered(question.overtaken()))
    }
    waiting = WaitingCalls()
    emit(.cancelPendingWork)
  }

  /// Ends the turn, exactly once.
  mutating func end(_ planned: TurnExit, reverting planReverts: Bool) {
    guard phase != .ended else { return }
    phase = .ended
    cancelPendingWork()
    for run in team.vacateExhausted() { emit(.retire(run)) }
    // An answer that existed before time ran out stands, and so does what the profile preserves;
    // only a person can take it back.
    let reverts = !isAnsweredAtCap && !progress.isSuperseded && (planReverts || isTakenBack)
    let end = TurnEnd(
      exit: stopping ?? planned,
      reverts: reverts,
      // A stopped worker may not have learned which of its last entries were kept.
      forgets: planReverts || stopping != nil,
      isLeftOpen: progress.isLeftOpen
    )
    if end.isLeftOpen { return write([.leftOpen], then: .end(end)) }
    var events: [Fact.Event] = []
    if let request = progress.openRequest {
      events.append(.abandonedRequest(tokens: request.texts))
    }
    if progress.isSuperseded { events += state.unansweredOutputs }
    events.append(.ended(end.exit, revertingTo: reverts ? state.baton.before : nil))
    write(events, then: .end(end))
  }

  /// Whether a cap stops the turn after it already had its answer.
  private var isAnsweredAtCap: Bool {
    if case .cap? = stopping { state.hasAnswer } else { false }
  }

  /// Whether the turn is stopped by something other than a cap.
  private var isTakenBack: Bool {
    switch stopping {
    case nil, .cap?: false
    default: true
    }
  }

  private mutating func finish(_ end: TurnEnd) {
    if end.reverts || end.forgets { team.forget(after: state.unchanged) }
    emit(.finish(end))
  }

  /// An answer whose end is not on disk is no answer.
  private mutating func finish(_ planned: TurnEnd, notWrittenBecause error: any Error) {
    var end = planned
    // The turn was not what ended the coordinator. If that cannot be written, it counts as if it was.
    if !end.isLeftOpen {
      let failure = TurnExit.failed(String(describing: error))
      if end.reverts, end.exit != failure { show(.trouble(String(describing: error))) }
      if !end.reverts { (end.exit, end.reverts, end.forgets) = (failure, true, true) }
      end.problem = String(describing: error)
      // A friend's turn ends with the call that it answers.
      if !settings.isFriend { show(.trouble(UnwrittenEnd.explanation)) }
    }
    finish(end)
  }
}
