import Foundation
import Journal
import Transcripts
import Wire

extension Conversation {
  /// Stops a turn, its worker and the friends that it has on the phone.
  func stop(turn id: Int64, because exit: TurnExit) async {
    guard let active = turn, active.id == id, active.stopping == nil else { return }
    turn?.stopping = exit
    hangUp(id)
    guard let run = active.run, agent(of: run) != nil, let link = lives[run]?.link else {
      // No worker has the turn, so there is none to wait for, and none should be started.
      await endTurn(exit, reverting: true)
      return
    }
    let cap: String? = if case .cap(let name) = exit { name } else { nil }
    try? link.send(.cancel(turn: Int(id), cap: cap))
    let patience = services.stopPatience
    // A worker that does not react is killed; whether it then dies or not, the turn is over.
    Task {
      // While the machine sleeps, so does the worker.
      try? await Task.sleep(for: patience, clock: .suspending)
      guard self.isFriend ? self.lives[run] != nil : self.turn?.id == id else { return }
      self.vacate(run)
      link.kill(.hung(seconds: Int(patience.components.seconds)))
      if self.turn?.id == id { await self.endTurn(exit, reverting: true) }
    }
    // The caller needs its remaining time, and a friend's worker has no further turn to be ready for.
    if isFriend { await endTurn(exit, reverting: true) }
  }

  /// Ends calls to friends, questions to people and the launches of workers, because the turn no
  /// longer wants them.
  private func hangUp(_ turn: Int64) {
    for launch in launches.values { launch.cancel() }
    for run in fitting.keys { answerFit(.unanswered("The turn is over."), of: run) }
    // The desk is an actor of its own.
    Task { await services.approvals.withdraw(turn: turn) }
    for friend in friends.values {
      // The friend has an actor of its own.
      Task { await friend.close() }
    }
  }

  /// Ends the turn that a worker was answering, if there is one.
  func fail(_ run: RunID, _ exit: TurnExit, reverting: Bool = true) async {
    guard let active = turn, active.run == run else { return }
    await endTurn(exit, reverting: reverting)
  }

  /// Ends the turn of a worker that cannot be given an answer, and the waiting worker too.
  func giveUp(on run: RunID, _ exit: TurnExit) async {
    if let active = turn, active.run == run {
      try? lives[run]?.link.send(.cancel(turn: Int(active.id)))
    }
    vacate(run)
    retire(run)
    answerFit(.unanswered(exit.description), of: run)
    await fail(run, exit)
  }

  /// Ends the turn of a worker for which something could not be done.
  ///
  /// A worker that asked for more than it could honestly need is killed at once.
  func giveUp(on run: RunID, because error: any Error) async {
    guard let excess = error as? Excess, let agent = agent(of: run) else {
      return await giveUp(on: run, .failed(String(describing: error)))
    }
    let death = Death(cause: .breach(excess.description), lastLines: [])
    vacate(run)
    lives[run]?.link.kill(death.cause)
    await fail(run, .failed("The worker of '\(agent)' died: \(death.explanation)"))
  }

  /// Removes a worker from its seat; the agent's next turn goes to a new worker.
  func vacate(_ run: RunID) {
    if let agent = agent(of: run) { seats[agent] = nil }
  }

  func retire(_ run: RunID) {
    guard let link = lives[run]?.link else { return }
    // Nobody waits for this; the worker's end arrives as an event.
    Task { await link.retire() }
  }

  /// Retires the workers that have reached a bound; the agents' next turns go to new ones.
  private func retireExhausted() {
    for (agent, seat) in seats where exhaustion(of: agent) != nil {
      seats[agent] = nil
      retire(seat.link.run)
    }
  }

  /// Handles the end of a worker: its seat becomes free, and its turn is recovered or ended.
  func end(of run: RunID, _ death: Death) async {
    let agent = agent(of: run)
    if let agent { seats[agent] = nil }
    var death = death
    // Its end was proper, but not without a reason.
    if let exhaustion = lives[run]?.exhaustion, death.kind == nil {
      death.cause = .exhausted(exhaustion)
    }
    do {
      try await services.journal.endRun(
        run.description,
        outcome: death.description,
        cause: death.kind
      )
    } catch {
      lastWatch?(.trouble(String(describing: error)))
    }
    if isFriend, let life = lives[run] { tellGone(run, life) }
    defer { answerFit(.unanswered("its worker died: \(death)."), of: run) }
    guard let agent else { return }
    if turn?.stopping == nil, isLeftOver(run) { return await giveTurn(to: agent) }
    await keep(death, of: agent, run)
    await recover(from: death, of: agent, run)
  }

  private func tellGone(_ run: RunID, _ life: Life) {
    lastWatch?(
      .friendGone(
        agent: record.holder,
        pid: life.link.pid,
        run: run.description,
        tokens: life.figures.tokensIn + life.figures.tokensOut,
        seconds: Date().timeIntervalSince(life.launched)
      )
    )
  }

  /// Journals an end that could not be written when it came.
  ///
  /// What others are told must be what is on disk.
  func writeEnd() async throws {
    guard let end = unwrittenEnd else { return }
    try await services.journal.endTurn(end.turn, exit: end.exit, revertingTo: end.holder)
    unwrittenEnd = nil
  }

  private static let leftOpen =
    "The coordinator is stopping. The next one finishes this turn."

  /// Ends the turn, exactly once, and tells whoever asked.
  func endTurn(_ planned: TurnExit, reverting planReverts: Bool) async {
    turn?.dropRequest()
    guard let active = turn else { return }
    turn = nil
    lastAnswer = ContinuousClock.now
    hangUp(active.id)
    retireExhausted()
    wakeFriends()
    // Those who wait may have been reported before, and are not reported again.
    if (services.cores?.load.waiting ?? 0) > 0 { takeBackOwnCores() }
    var exit = active.stopping ?? planned
    // An answer that existed before time ran out stands, and so does what the profile preserves;
    // only a person can take it back.
    var reverting = !active.isAnsweredAtCap && (planReverts || active.isTakenBack)
    func takeBack(because error: any Error) {
      let failure = TurnExit.failed(String(describing: error))
      if reverting, exit != failure { active.watch(.trouble(String(describing: error))) }
      if !reverting { (exit, reverting) = (failure, true) }
    }
    if let held = active.held {
      do {
        active.history += try await write(held, of: active.id)
      } catch {
        // An answer that is not on disk is no answer.
        takeBack(because: error)
      }
    }
    if active.isLeftOpen {
      // This turn did not end the coordinator. If that cannot be written, it counts as if it did.
      try? await services.journal.takeBackResumption(of: active.id)
    } else {
      do {
        try await services.journal.endTurn(
          active.id,
          exit: exit,
          revertingTo: reverting ? active.holderBefore : nil
        )
      } catch {
        // Nor is an answer whose end is not on disk.
        takeBack(because: error)
        unwrittenEnd = UnwrittenEnd(turn: active.id, exit: exit, holder: active.holderBefore)
        // A friend's turn ends with the call that it answers.
        if !isFriend { active.watch(.trouble(UnwrittenEnd.explanation)) }
      }
    }
    // The next turn begins after `finish`, so nothing has changed while the journal was writing.
    if reverting {
      holder = active.holderBefore
      forget(after: active.unchanged)
    } else {
      history = active.history
      // A stopped worker may not have learned which of its last entries were kept.
      if planReverts || active.stopping != nil { forget(after: active.unchanged) }
    }
    let summary = TurnSummary(
      turn: active.id,
      exit: exit,
      holder: holder,
      answer: reverting ? nil : active.answer,
      figures: active.figures,
      seconds: Date().timeIntervalSince(active.started)
    )
    // The turn has one end, and another coordinator reports it.
    active.watch(active.isLeftOpen ? .trouble(Self.leftOpen) : .ended(summary))
    active.finish(
      TurnResult(
        summary: summary,
        budget: active.budget,
        unfinishedAnswer: active.partial.excerptOfAnswer
      )
    )
  }
}

/// The end of a turn that is not in the journal yet.
///
/// It is written before the next prompt, or when the conversation closes.
struct UnwrittenEnd: Sendable {
  let turn: Int64
  let exit: TurnExit
  /// The agent that the baton went back to.
  let holder: String

  /// What a person needs to know before asking again.
  static let explanation =
    "The end of this turn could not be journaled. It will be tried again before the next prompt"
    + " here and when orchestrator stops; if that fails too, the next start continues the turn. Do"
    + " not ask it again elsewhere."
}
