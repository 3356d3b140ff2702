import Foundation
import Journal
import Transcripts
import Wire

/// A pass of the baton requested by an agent.
struct Pass: Sendable {
  let from: String
  let to: String
  let callID: String
}

/// The result of asking a worker whether a history fits its window.
enum FitAnswer: Sendable {
  case fit(ContextFit)
  /// No worker could take the history, or the answer is no longer wanted.
  case unanswered(String)
}

/// A pending question to a worker: whether a history fits.
struct FitQuestion: Sendable {
  let id = UUID()
  let turn: Int
  let continuation: CheckedContinuation<FitAnswer, Never>
}

extension Conversation {
  /// Returns the substitute for a holder that is gone: the agent that begins conversations.
  /// - Throws: `ConversationError.unusableAgent` for a holder that only does not compile, because a
  ///   substitute has the baton for good.
  func substitution() async throws -> BatonSubstitution? {
    guard !isFriend, await services.catalog.agent(named: holder) == nil else { return nil }
    if let problem = await services.catalog.problem(of: holder) {
      throw ConversationError.unusableAgent(holder, problem: problem)
    }
    guard let beginner = await services.catalog.beginner(), beginner != holder,
      // Checked again: agents that could not be listed for a moment may be back.
      await services.catalog.agent(named: holder) == nil
    else { return nil }
    return BatonSubstitution(from: holder, to: beginner)
  }

  /// Tells the watcher which agent answers in whose place.
  nonisolated func tell(
    of substitution: BatonSubstitution,
    to watch: @Sendable (TurnEvent) -> Void
  ) {
    watch(.trouble("\(substitution.from) is not available: another agent answers in its place."))
    watch(.batonPassed(from: substitution.from, to: substitution.to))
  }

  /// Passes the baton, concurrently with the turn and after earlier passes.
  ///
  /// The receiver may have to be started first, so that it can say whether it can take the baton.
  func passBaton(_ pass: Pass, turn: Int) throws {
    guard isCurrent(turn, pass.from), let link = seats[pass.from]?.link else { return }
    // Refused passes count too, because they take memory until they are answered.
    try self.turn?.quota.take(entries: 1)
    try self.turn?.quota.take(bytes: pass.to.utf8.count)
    guard self.turn?.round?.mayRun(pass.callID) == true else {
      throw ConversationError.strayCall(pass.callID, agent: pass.from)
    }
    self.turn?.repetition.notePass(pass.callID)
    let before = self.turn?.passing
    self.turn?.passing = Task {
      await before?.value
      do {
        try await self.decide(pass, turn: turn, link: link)
      } catch {
        await self.giveUp(on: link.run, because: error)
      }
    }
  }

  private func decide(_ pass: Pass, turn: Int, link: any WorkerLink) async throws {
    let exists = await services.catalog.agent(named: pass.to) != nil
    guard isCurrent(turn, pass.from) else { return }
    var refusal: String?
    // One baton, one pass: a second call in the same round finds it gone, as does a replacement
    // worker that asks again.
    if holder == pass.from {
      refusal = rule(against: pass, exists: exists)
      if refusal == nil {
        refusal = await self.refusal(of: pass.to, turn: turn)
        guard isCurrent(turn, pass.from) else { return }
      }
      if let refusal {
        // A turn that is being stopped has called the launch off.
        if self.turn?.stopping == nil {
          self.turn?.watch(.trouble("The baton stays with \(pass.from). \(refusal)"))
        }
      } else {
        let isPassed = try await services.journal.passBaton(
          in: record.id,
          turn: Int64(turn),
          from: pass.from,
          to: pass.to,
          callID: pass.callID
        )
        // The turn has ended in the meantime, and its end has the last word.
        guard isPassed else { return }
        // What is on disk holds even if the giver has died in the meantime: its replacement asks
        // again and learns who holds the baton.
        guard self.turn?.id == Int64(turn) else { return }
        holder = pass.to
        self.turn?.watch(.batonPassed(from: pass.from, to: pass.to))
      }
    }
    try link.send(
      .batonPassed(turn: turn, callID: pass.callID, holder: holder, refusal: refusal)
    )
  }

  /// Why a pass is not allowed, regardless of what its receiver could take; `nil` when it is.
  private func rule(against pass: Pass, exists: Bool) -> String? {
    // A friend has no conversation to hand over.
    if isFriend { return "A friend cannot pass the baton." }
    if pass.to == pass.from {
      return "You already hold the baton. Answer yourself, or pass it to another agent."
    }
    return exists ? nil : "There is no agent named '\(pass.to)'."
  }

  /// Why an agent cannot take the baton; `nil` when it can.
  private func refusal(of agent: String, turn: Int) async -> String? {
    if seats[agent] == nil, restarts[agent]?.isSpent(at: .now) == true {
      return "\(agent) cannot take the baton: its workers have died too often in a short time."
    }
    do {
      try await seat(agent, for: Int64(turn), takesTurn: false)
    } catch {
      return "\(agent) cannot take the baton: \(error)"
    }
    guard let active = self.turn, active.id == Int64(turn), let seat = seats[agent] else {
      noteLoss(of: agent, turn: turn)
      return "\(agent) cannot take the baton: its worker ended at once."
    }
    let order = order(for: seat, agent: agent, turn: active)
    let answer = await withCheckedContinuation { continuation in
      fitting[seat.link.run] = FitQuestion(turn: turn, continuation: continuation)
      do {
        try seat.link.send(order) { .fit($0) }
        // Unlike the entries, the properties stay as the worker was last told.
        seats[agent]?.properties = properties
      } catch {
        answerFit(.unanswered(String(describing: error)), of: seat.link.run)
      }
      if seats[agent]?.isReady == true { limitFit(of: seat.link.run) }
    }
    switch answer {
    case .unanswered(let problem):
      noteLoss(of: agent, turn: turn)
      return "\(agent) cannot take the baton: \(problem)"
    case .fit(let fit) where fit.fits: return nil
    case .fit(let fit):
      return "\(agent) cannot take the baton: the conversation needs at least \(fit.tokens) tokens,"
        + " and its context holds \(fit.window). Answer yourself, or phone it instead."
    }
  }

  /// Counts a worker that was lost before it could say whether it can take the baton.
  ///
  /// A tool may pass the baton again and again, which no cap counts.
  private func noteLoss(of agent: String, turn: Int) {
    // A turn that is being stopped gives up its questions.
    guard let active = self.turn, active.id == Int64(turn), active.stopping == nil else { return }
    var deaths = restarts[agent] ?? Restarts(services.restarts)
    _ = deaths.noteDeath(at: .now)
    restarts[agent] = deaths
  }

  /// Ends a worker that does not answer a pending question in time, such as one whose agent's code
  /// hangs, and with it the question.
  ///
  /// Called once the worker is ready: loading has a time limit of its own.
  func limitFit(of run: RunID) {
    guard let question = fitting[run] else { return }
    let patience = services.fitPatience
    // Unstructured, because nobody waits for it: it ends after its patience.
    Task {
      try? await Task.sleep(for: patience, clock: .suspending)
      guard fitting[run]?.id == question.id else { return }
      let seconds = Int(patience.components.seconds)
      vacate(run)
      lives[run]?.link.kill(.hung(seconds: seconds))
      answerFit(.unanswered("it did not say within \(seconds) s whether it can."), of: run)
    }
  }

  /// Gives a question its only answer; the first caller wins.
  /// - Parameter turn: The turn in which the question was asked; `nil` for any.
  func answerFit(_ answer: FitAnswer, of run: RunID, in turn: Int? = nil) {
    guard turn == nil || turn == fitting[run]?.turn else { return }
    fitting.removeValue(forKey: run)?.continuation.resume(returning: answer)
  }

  /// Builds the order that brings an agent fully up to date.
  func order(for seat: Seat, agent: String, turn: ActiveTurn) -> TurnOrder {
    var order = seat.order(turn: turn.id, history: turn.history, properties: properties)
    order.secondsLeft = turn.secondsLeft
    order.widestWindow = windows.filter { $0.key != agent }.values.max()
    return order
  }
}
