import Foundation
import Journal
import Transcripts
import Wire

/// A turn while it goes on.
///
/// A pure value. `handle(_:)` decides and says what is to be done; it neither waits nor starts
/// anything. What happened is in `state`, which only facts change; everything else here is lost with
/// the coordinator, and a turn that is taken up does without it.
struct Turn: Sendable {
  let settings: Settings
  var state: TurnState
  /// The workers of the conversation, which the turn has while it goes on.
  var team: Team
  private(set) var phase = Phase.starting(attempt: 0)
  /// Why the turn is being stopped; `nil` while it goes on.
  var stopping: TurnExit?
  /// Whether a person is present who can be asked.
  var isAttended: Bool
  var quota: Quota
  /// The request and the entry that the worker is generating.
  var generation = RequestProgress()
  var passing = BatonPassing()
  var waiting = WaitingCalls()
  /// What was decided on and is not done yet.
  private(set) var effects: [Effect] = []
  var clock: TurnClock

  struct Settings: Sendable {
    let isFriend: Bool
    /// Whether an earlier coordinator began the turn.
    let isResumed: Bool
    /// The conversation, and its session as people know it.
    let conversation: Int64
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

  /// Decides on an input.
  /// - Returns: What is to be done, in order.
  mutating func handle(_ input: Input, at clock: TurnClock) -> [Effect] {
    self.clock = clock
    effects = []
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
    case .written(_, .end(let end)): emit(.finish(end))
    case .writeFailed(let error, .end(let end)): finish(end, notWrittenBecause: error)
    case .message(let message, let run):
      if team.handleIdle(message, from: run) { emit(.retire(run)) }
    case .died(let run, _): team.vacate(run)
    case .unsendable(let run, _):
      team.vacate(run)
      emit(.retire(run))
    default: break
    }
  }

  private mutating func decide(on input: Input) {
    switch input {
    case .begin: begin()
    case .message(let message, let run): receive(message, from: run)
    case .died(let run, let death): workerDied(run, death)
    case .seated(let agent, .answer(let attempt), let problem):
      seated(agent, attempt: attempt, problem)
    case .seated(let agent, .fit, let problem): askFit(of: agent, problem)
    case .written(let facts, let continuation): written(facts, continuation)
    case .writeFailed(let error, let continuation): writeFailed(error, continuation)
    case .friendBegun(let request, let friend): friendBegun(request, friend)
    case .friendFailed(let request, let error):
      reply(to: request.call, .friend(.failed(String(describing: error))))
      phoneNext()
    case .friendEnded(let end, let run):
      // What a friend came to because this coordinator stops is not for the next one to tell.
      if generation.isLeftOpen { return emit(.forgetFriend(conversation: end.conversation)) }
      write(.friendEnded(end), .friend(end, run: run))
    case .decided(let question, let decision): recordDecision(decision, on: question)
    case .clientAnswered(let outputs, let request): clientAnswered(outputs, request: request)
    case .superseded: supersede()
    case .examined(let call, let needsApproval): examined(call, needsApproval: needsApproval)
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

  mutating func reply(to call: WorkerCall, _ reply: WorkerReply) {
    emit(.send(call.run, .reply(id: call.id, reply)))
  }

  mutating func write(
    _ events: Fact.Event...,
    by call: WorkerCall? = nil,
    then continuation: WriteContinuation
  ) {
    emit(.write(events, agent: call?.agent, run: call?.run, continuation))
  }

  mutating func write(_ event: Fact.Event, _ continuation: WriteContinuation) {
    write(event, then: continuation)
  }

  // MARK: Giving the turn to a worker

  /// Begins a turn, or takes up one that an earlier coordinator began.
  private mutating func begin() {
    // An earlier coordinator may not have shown the answer.
    if state.hasAnswer, let text = state.answer?.text {
      show(.answered(agent: state.baton.holder, text: text))
    }
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
    let attempt = nextAttempt
    phase = .starting(attempt: attempt)
    generation.attempts = attempt
    emit(.seat(agent: agent, .answer(attempt: attempt)))
  }

  private var nextAttempt: Int { generation.attempts + 1 }

  /// Takes the turn from its worker.
  mutating func unassign() { phase = .starting(attempt: generation.attempts) }

  private mutating func seated(_ agent: String, attempt: Int, _ problem: SeatProblem?) {
    // The turn may be with another worker by now.
    guard phase == .starting(attempt: attempt) else { return }
    if let problem { return end(.failed(String(describing: problem)), reverting: true) }
    // A worker that is gone again is replaced by one that is launched.
    guard let slot = team.slots[agent] else { return give(to: agent) }
    phase = .running(slot.run)
    generation.begin()
    var order = order(for: slot)
    var open: [Transcript.ToolCall] = []
    if let round = state.round, round.agent == agent {
      open = round.open
      order.openCalls = round.progress
      // One of the round's calls may have passed the baton and have its output already.
      order.hasPassedBaton = state.baton.holder != agent
    }
    // An agent may have removed calls from the history, or outputs from behind other calls.
    if state.history.lazy.map(\.entry).openCalls != open { order.unfinishedCalls = open }
    emit(.order(slot.run, order, .turn))
    team.setKnown(state.history.count, by: agent)
    team.setKnown(state.properties, by: agent)
    team.runs[slot.run]?.strays = 0
  }

  /// Builds the order that brings a worker fully up to date.
  func order(for slot: AgentSlot) -> TurnOrder {
    TurnOrder(
      turn: Int(id),
      kept: slot.knownEntries,
      added: Array(state.history[slot.knownEntries...]),
      options: tracedOptions,
      properties: state.properties.filter { slot.properties[$0.key] != $0.value },
      widestWindow: team.widestWindow(besides: slot.agent.name),
      secondsLeft: clock.secondsLeft
    )
  }

  /// The options of the turn, with the span in which the worker asks servers.
  private var tracedOptions: TurnOptions? {
    guard let traceparent = settings.traceparent else { return state.options }
    var options = state.options ?? TurnOptions()
    options.traceparent = traceparent
    return options
  }

  // MARK: Ending

  private mutating func fired(_ timer: TurnTimer) {
    switch timer {
    case .restart: goOn()
    case .stop(let run):
      guard stopping != nil else { return }
      kill(run, .hung(seconds: Int(settings.stopPatience.components.seconds)))
      end(stopping ?? .cancelled, reverting: true)
    case .fit(let id): fitOverdue(id)
    }
  }

  mutating func stop(_ exit: TurnExit, leavesOpen: Bool) {
    // What is over already cannot be taken back.
    guard stopping == nil else { return }
    if leavesOpen, settings.isResumed || state.waitsForClient { generation.isLeftOpen = true }
    stopping = exit
    cancelPendingWork()
    // No worker has the turn, so there is none to wait for, and none should be started.
    guard let run, team.agent(of: run) != nil else { return end(exit, reverting: true) }
    let cap: String? = if case .cap(let name) = exit { name } else { nil }
    emit(.send(run, .cancel(turn: Int(id), cap: cap)))
    emit(.start(.stop(run), after: settings.stopPatience))
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
    let reverts = !isAnsweredAtCap && !generation.isSuperseded && (planReverts || isTakenBack)
    let end = TurnEnd(
      exit: stopping ?? planned,
      reverts: reverts,
      // A stopped worker may not have learned which of its last entries were kept.
      forgets: planReverts || stopping != nil,
      isLeftOpen: generation.isLeftOpen
    )
    if end.isLeftOpen { return write(.leftOpen, .end(end)) }
    var events: [Fact.Event] = []
    if let request = generation.openRequest {
      events.append(.abandonedRequest(tokens: request.texts))
    }
    if generation.isSuperseded { events += state.unansweredOutputs }
    events.append(.ended(end.exit, revertingTo: reverts ? state.baton.before : nil))
    emit(.write(events, agent: nil, run: nil, .end(end)))
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
    emit(.finish(end))
  }
}
