import Foundation
import Journal
import Transcripts
import Wire

// What turns decide, done.

extension Conversation {
  /// Does what the turn has decided, in order.
  func perform(_ effects: [Effect]) async {
    for effect in effects {
      switch effect {
      case .write(let events, let agent, let run, let continuation):
        await write(events, agent: agent, run: run, continuation)
      case .findAgent(let name, let purpose): findAgent(named: name, for: purpose)
      case .launch(let agent, let purpose): launch(agent, for: purpose)
      case .send(let run, let message): send({ try $0.send(message) }, to: run)
      case .order(let run, let order, let kind):
        send({ try $0.send(order, as: kind.message) }, to: run)
      case .retire(let run): retire(run)
      case .kill(let run, let cause): processes.link(run)?.kill(cause)
      case .start(let timer, let delay): start(timer, after: delay)
      case .beginFriend(let request, let share): await beginFriend(request, share)
      case .runFriend(let request, let friend): runFriend(request, friend)
      case .forgetFriend(let conversation): friends.forget(conversation)
      case .checkApproval(let call): await checkApproval(of: call)
      case .askServer(let call, let isApproved, let traced):
        turn?.requests.ask(
          services.servers,
          call,
          session: title,
          isApproved: isApproved,
          traceparent: traced.map(services.tracing.call)
        )
      case .answerForm(let form, let answer): turn?.requests.answer(form, answer)
      case .withdraw(let question): withdraw(question)
      case .ask(let question, let patience): await ask(question, patience: patience)
      case .pause:
        status.lastAnswer = .now
        turn?.pause()
      case .cancelPendingWork: cancelPendingWork()
      case .show(let event): show(event)
      case .finish(let end): finish(end)
      }
    }
  }

  func show(_ event: TurnEvent) { status.watch(event) }

  private func findAgent(named name: String, for purpose: WorkerPurpose) {
    if let id = turn?.id { processes.findAgent(named: name, for: purpose, in: id, of: self) }
  }

  private func launch(_ agent: LaunchableAgent, for purpose: WorkerPurpose) {
    guard let active = turn else { return }
    processes.launch(
      agent,
      for: purpose,
      in: active.id,
      of: self,
      clock: HeldClock(active.countHolds),
      show: status.watch
    )
  }

  private func write(
    _ events: [Fact.Event],
    agent: String?,
    run: RunID?,
    _ continuation: WriteContinuation
  ) async {
    guard let id = turn?.id else { return }
    do {
      let facts = try await services.journal.append(
        events,
        in: record.id,
        turn: id,
        agent: agent,
        run: run?.description
      )
      await handle(.written(facts, continuation))
    } catch {
      await handle(.writeFailed(error, continuation))
    }
  }

  private func send(_ message: (any WorkerLink) throws -> Void, to run: RunID) {
    // Sending does not fail for a worker that is gone; its end arrives as an event.
    guard let link = processes.link(run) else { return }
    do {
      try message(link)
    } catch {
      // A task, because this effect belongs to an input that is still being handled.
      Task { await self.post(.unsendable(run, error)) }
    }
  }

  private func start(_ timer: TurnTimer, after delay: Duration) {
    guard let id = turn?.id else { return }
    // Unstructured: it ends after its delay, and keeps nothing in memory until then. While the machine
    // sleeps, so do the workers.
    Task { [weak self] in
      try? await Task.sleep(for: delay, clock: .suspending)
      await self?.post(.timer(timer), to: id)
    }
  }

  func retire(_ run: RunID) {
    guard let link = processes.link(run) else { return }
    // The worker's end arrives as an event.
    Task { await link.retire() }
  }

  /// Ends calls to friends, questions to people and the launches of workers.
  private func cancelPendingWork() {
    guard let active = turn else { return }
    processes.cancelLaunches()
    let approvals = services.approvals
    // The broker and the friends are actors of their own.
    Task { await approvals.withdraw(turn: active.id) }
    for friend in friends.running.values { Task { await friend.close() } }
    active.requests.cancel()
  }

  // MARK: Friends

  /// Begins a friend's isolated conversation, with its one turn, under the call that it answers.
  private func beginFriend(_ request: FriendRequest, _ share: Budget) async {
    guard let id = turn?.id else { return }
    let question = request.question
    let input: Input
    do {
      let begun = try await services.journal.beginFriend(
        (question.callID, question.friend, question.prompt),
        prompt: RawEntry(prompt: question.prompt, after: []),
        caps: share.journaled,
        of: record.id,
        turn: id,
        agent: request.pending.agent,
        run: request.pending.run.description
      )
      let friend = BegunFriend(
        conversation: begun.conversation,
        turn: begun.turn,
        facts: begun.facts,
        phoned: begun.phoned,
        share: share
      )
      input = .friendBegun(request, friend)
    } catch {
      input = .friendFailed(request, error)
    }
    await handle(input)
  }

  private func runFriend(_ request: FriendRequest, _ friend: BegunFriend) {
    guard let active = turn else { return }
    let past = ConversationPast(holder: friend.conversation.holder)
    friends.run(
      Conversation(friend.conversation, title: title, services: services),
      past.turn(friend.turn.id, budget: friend.share).applying(friend.facts),
      deadline: active.deadlineOfFriend,
      isAttended: active.turn.isAttended,
      traceparent: active.turn.settings.traceparent,
      // The turn waits for the friend, and so for the friend's host.
      countHolds: active.countHolds,
      watch: status.watch
    ) { await self.post(.friendEnded($0, run: request.pending.run), to: active.id) }
  }

  // MARK: Questions

  private func checkApproval(of call: MCPCall) async {
    let needsApproval = await services.servers.needsApproval(call.request, session: title)
    await handle(.approvalChecked(call, needsApproval: needsApproval))
  }

  private func withdraw(_ question: Int64) {
    // The answer comes back as an input, while this effect belongs to another.
    Task { [approvals = services.approvals] in
      _ = try? await approvals.answer(question, denial: "It is no longer needed.", by: .coordinator)
    }
  }

  private func ask(_ question: ApprovalRecord, patience: Duration) async {
    guard let id = turn?.id else { return }
    await services.approvals.ask(question, patience: patience) { [weak self] decision in
      await self?.decide(question, decision, in: id)
    }
  }

  /// Records a decision.
  /// - Returns: The question with its answer; `nil` when the turn no longer waits for it.
  private func decide(
    _ question: ApprovalRecord,
    _ decision: ApprovalDecision,
    in id: Int64
  ) async -> ApprovalRecord? {
    await post(.decided(question: question.id, decision), to: id)
    let reader = JournalReader(services.journal)
    guard let record = try? await reader.approval(question.id), record.answer?.by == decision.by
    else { return nil }
    return record
  }

  // MARK: The end of a turn

  /// Tells those who wait what the turn came to.
  private func finish(_ end: TurnEnd) {
    guard let active = turn else { return }
    active.requests.cancel()
    let state = active.turn.state
    takeBackTeam()
    status.lastAnswer = .now
    // Those who wait may have been reported before, and are not reported again.
    if (services.cores?.load.waiting ?? 0) > 0 { takeBackOwnCores() }
    if end.problem != nil {
      unwrittenEnd = UnwrittenEnd(turn: active.id, exit: end.exit, holder: state.baton.before)
    }
    past.end(state, reverts: end.reverts)
    let result = active.result(of: end)
    // The turn has one end, and another coordinator reports it, or this one does when the client for
    // which the turn waits has answered.
    if !end.isLeftOpen {
      show(.ended(result.summary))
    } else if status.isClosed {
      show(.trouble("The coordinator is stopping. The next one finishes this turn."))
    }
    active.end(with: result)
  }

  /// Journals an end that could not be written when it came.
  func writeEnd() async throws {
    guard let end = unwrittenEnd else { return }
    try await services.journal.append(
      [.ended(end.exit, revertingTo: end.holder)],
      in: record.id,
      turn: end.turn
    )
    unwrittenEnd = nil
  }
}
