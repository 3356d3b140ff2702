import Journal
import Transcripts
import Wire

// How workers die, and what becomes of their turn.

extension Turn {
  // MARK: Deaths

  mutating func workerDied(_ run: RunID, _ death: Death) {
    let isLeftOver = isLeftOver(run)
    let agent = team.vacate(run)
    let tokens = team.runs[run]?.usage.tokensOut ?? 0
    for effect in team.remove(run) { emit(effect) }
    defer { fitUnanswered(by: run, "its worker died: \(death).") }
    guard let agent else { return }
    withdrawRequests { call, _ in call.pending.run == run }
    waiting.drop(run)
    if stopping == nil, isLeftOver { return give(to: agent) }
    guard self.run == run else { return }
    recordDeath(death, of: agent, run, tokens: tokens, keepsEntries: false)
  }

  /// Whether the turn is with a worker kept from an earlier turn that has not spoken in this one.
  ///
  /// It may have died while it was not needed, and nothing is lost when another takes its place.
  private func isLeftOver(_ run: RunID) -> Bool {
    self.run == run && !progress.isHeard && team.runs[run].map { $0.turn != id } ?? false
  }

  /// Journals a death in the turn, with what the worker left behind.
  /// - Parameter tokens: How many it has generated in requests that it finished.
  mutating func recordDeath(
    _ death: Death,
    of agent: String,
    _ run: RunID,
    tokens: Int,
    keepsEntries: Bool
  ) {
    let texts = progress.openRequest?.texts
    let event = Fact.Event.died(
      WorkerDeath(
        cause: death.description,
        lastLines: death.lastLines,
        // Each text change of an unfinished request was at least one token.
        tokensOut: tokens + (texts ?? 0),
        partialText: progress.partial.excerpt,
        tokensLost: texts
      )
    )
    emit(
      .write(
        [event],
        agent: agent,
        run: run,
        .death(run, agent: agent, death, keepsEntries: keepsEntries)
      )
    )
  }

  /// Continues the turn of a lost worker from its journaled entries, or ends it where that is not
  /// possible.
  mutating func deathWritten(_ death: Death, of agent: String, keepsEntries: Bool) {
    progress.openRequest = nil
    if stopping == nil, state.hasAnswer {
      // Only the worker's word that the answer was complete was missing.
      return end(state.exitOfAnswer, reverting: false)
    }
    let explanation = death.explanation(during: state.round?.running ?? [])
    var problem = "The worker of '\(agent)' died: \(explanation)"
    if settings.isFriend { problem += state.remains(progress.partial) }
    // A friend's end is an answer to its caller.
    guard stopping == nil, !settings.isFriend, death.cause != .farewell(.unable) else {
      return end(.failed(problem), reverting: !keepsEntries)
    }
    guard let delay = team.recordDeath(of: agent, at: clock.now) else {
      let deaths = team.deaths(of: agent)
      let count = deaths > 1 ? " It has died \(deaths) times in a short time." : ""
      return end(.failed(problem + count), reverting: !keepsEntries)
    }
    unassign()
    show(.workerReplaced(agent: agent, death: explanation))
    emit(.start(.restart, after: delay))
  }

  // MARK: Giving up

  /// Ends the turn of a worker for which something could not be done.
  mutating func giveUp(on run: RunID, because error: any Error) {
    guard let excess = error as? QuotaExceeded, let agent = team.agent(of: run) else {
      return giveUp(on: run, .failed(String(describing: error)))
    }
    // It asked for more than it could honestly need.
    let death = Death(cause: .breach(excess.description), lastLines: [])
    kill(run, death.cause)
    if self.run == run {
      end(.failed("The worker of '\(agent)' died: \(death.explanation)"), reverting: true)
    }
  }

  /// Ends the turn of a worker that cannot be given an answer, and the waiting worker too.
  mutating func giveUp(on run: RunID, _ exit: TurnExit) {
    if self.run == run { emit(.send(run, .cancel(turn: Int(id)))) }
    team.vacate(run)
    emit(.retire(run))
    fitUnanswered(by: run, exit.description)
    if self.run == run { end(exit, reverting: true) }
  }

  mutating func kill(_ run: RunID, _ cause: Death.Cause) {
    team.vacate(run)
    emit(.kill(run, cause))
  }
}

extension TurnState {
  /// What a friend had done before it died, for its caller.
  fileprivate func remains(_ partial: PartialText) -> String {
    var words = usage.tokensOut > 0 ? " It had written \(usage.tokensOut.counted("token"))." : ""
    if let text = partial.excerpt { words += " Its unfinished answer: \(text)" }
    return words
  }
}

extension Death {
  /// How the worker ended, and what its log says about it.
  var explanation: String { explanation(during: []) }

  /// How the worker ended, with the running tools where it had reached a bound.
  func explanation(during tools: [String]) -> String {
    var end = description
    if isAtBound, !tools.isEmpty { end += ", while \(tools.namedAsTools) ran" }
    guard let line = lastWords, cause != .farewell(.done) else { return "\(end)." }
    return "\(end). Its last log line: \(line.withFullStop)"
  }

  private var isAtBound: Bool {
    switch cause {
    case .outOfMemory, .scratchFull, .tooManyThreads: true
    case .farewell, .exited, .signaled, .exhausted, .hung, .notReady, .breach, .lost: false
    }
  }
}
