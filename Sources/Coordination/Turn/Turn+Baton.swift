import Journal
import Transcripts
import Wire

// Passing the baton. The receiver may have to be started first, so that it can say whether the
// conversation fits its window; passes wait for one another meanwhile.

/// The passes of the baton that workers ask for.
struct BatonPassing: Sendable {
  /// The passes that are not decided yet; the first is being decided.
  var queue: [PassRequest] = []
  /// The question to the receiver of the first whether it can take the baton.
  var question: FitQuestion?

  /// Whether the first is to an agent whose worker has not been asked yet.
  func awaits(_ agent: String) -> Bool { question == nil && queue.first?.to == agent }

  struct FitQuestion: Sendable {
    let id: Int
    let run: RunID
  }
}

extension Turn {
  mutating func passBaton(_ pass: PassRequest) throws {
    // Refused passes count too, because they take memory until they are answered.
    try quota.count(entries: 1)
    try quota.count(bytes: pass.to.utf8.count)
    guard state.round?.mayRun(pass.callID) == true else { throw pass.pending.stray(pass.callID) }
    passing.queue.append(pass)
    if passing.queue.count == 1 { decideNextPass() }
  }

  private mutating func decideNextPass() {
    guard let pass = passing.queue.first else { return }
    // One baton, one pass: a second call in the same round finds it gone, as does a replacement
    // worker that asks again.
    guard state.baton.holder == pass.from else { return reply(to: pass, refusal: nil) }
    if let refusal = rule(against: pass) { return refuse(pass, refusal) }
    emit(.findAgent(named: pass.to, .fit))
  }

  /// Why a pass is not allowed, regardless of what its receiver could take; `nil` when it is.
  private func rule(against pass: PassRequest) -> String? {
    // A friend has no conversation to hand over.
    if settings.isFriend { return "A friend cannot pass the baton." }
    if pass.to == pass.from {
      return "You already hold the baton. Answer yourself, or pass it to another agent."
    }
    if team.slots[pass.to] == nil, team.hasSpentRestarts(pass.to, at: clock.now) {
      return "\(pass.to) cannot take the baton: its workers have died too often in a short time."
    }
    return nil
  }

  /// Asks the receiver's worker whether it can take the baton.
  mutating func askFit(of agent: String, _ problem: LaunchProblem?) {
    guard let pass = passing.queue.first else { return }
    switch problem {
    case .noAgent?: return refuse(pass, "There is no agent named '\(agent)'.")
    case .failed(let problem)?:
      return refuse(pass, "\(agent) cannot take the baton: \(problem)")
    case nil: break
    }
    guard let slot = team.slots[agent] else { return lose(pass, "its worker ended at once.") }
    let question = BatonPassing.FitQuestion(id: team.nextQuestion(), run: slot.run)
    passing.question = question
    emit(.order(slot.run, order(for: slot), .fit(id: question.id)))
    // Unlike the entries, the properties stay as the worker was last told.
    team.setKnown(state.properties, by: agent)
    if slot.isReady { limitFit(of: slot.run) }
  }

  /// Bounds the time that a worker takes to say whether it can take the baton.
  ///
  /// Called once the worker is ready: loading has a bound of its own.
  mutating func limitFit(of run: RunID) {
    guard let question = passing.question, question.run == run else { return }
    emit(.start(.fit(id: question.id), after: settings.fitPatience))
  }

  mutating func fitOverdue(_ id: Int) {
    guard let question = passing.question, question.id == id else { return }
    let seconds = Int(settings.fitPatience.components.seconds)
    kill(question.run, .hung(seconds: seconds))
    fitUnanswered(by: question.run, "it did not say within \(seconds) s whether it can.")
  }

  /// Refuses the pass for which a worker was asked that gives no answer.
  mutating func fitUnanswered(by run: RunID, _ problem: String) {
    guard let pass = passing.queue.first, passing.question?.run == run else { return }
    passing.question = nil
    lose(pass, problem)
  }

  mutating func fitAnswered(_ id: Int, _ fit: ContextFit, by run: RunID) {
    guard let pass = passing.queue.first, let question = passing.question, question.id == id,
      question.run == run
    else { return }
    passing.question = nil
    guard fit.fits else {
      return refuse(
        pass,
        "\(pass.to) cannot take the baton: the conversation needs at least \(fit.tokens) tokens,"
          + " and its context holds \(fit.window). Answer yourself, or phone it instead."
      )
    }
    let move = BatonPass(from: pass.from, to: pass.to, callID: pass.callID)
    write([.passedBaton(move)], by: pass.pending, then: .pass(pass))
  }

  mutating func passWritten(_ pass: PassRequest) {
    show(.batonPassed(from: pass.from, to: pass.to))
    reply(to: pass, refusal: nil)
  }

  /// Refuses a pass because the receiver's worker was lost, which counts as a death: a tool may pass
  /// the baton again and again, which no cap counts.
  private mutating func lose(_ pass: PassRequest, _ problem: String) {
    _ = team.recordDeath(of: pass.to, at: clock.now)
    refuse(pass, "\(pass.to) cannot take the baton: \(problem)")
  }

  private mutating func refuse(_ pass: PassRequest, _ refusal: String) {
    show(.trouble("The baton stays with \(pass.from). \(refusal)"))
    reply(to: pass, refusal: refusal)
  }

  private mutating func reply(to pass: PassRequest, refusal: String?) {
    if !passing.queue.isEmpty { passing.queue.removeFirst() }
    reply(to: pass.pending, .baton(BatonAnswer(holder: state.baton.holder, refusal: refusal)))
    decideNextPass()
  }
}
