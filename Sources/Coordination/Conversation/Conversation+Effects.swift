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
      case .seat(let agent, let purpose): seat(agent, for: purpose)
      case .send(let run, let message):
        // Sending does not fail for a worker that is gone; its end arrives as an event.
        do {
          try processes.link(run)?.send(message)
        } catch {
          giveUp(on: run, because: error)
        }
      case .order(let run, let order, let kind):
        do {
          try processes.link(run)?.send(order, as: kind.message)
        } catch {
          giveUp(on: run, because: error)
        }
      case .retire(let run): retire(run)
      case .kill(let run, let cause): processes.link(run)?.kill(cause)
      case .start(let timer, let delay): start(timer, after: delay)
      case .beginFriend(let request, let share): await beginFriend(request, share)
      case .runFriend(let request, let friend): runFriend(request, friend)
      case .forgetFriend(let conversation): friends.running[conversation] = nil
      case .examine(let call): await examine(call)
      case .askServer(let call, let isApproved): askServer(call, isApproved: isApproved)
      case .answerForm(let form, let answer): turn?.forms.answer(form.number, answer)
      case .withdraw(let question): withdraw(question)
      case .ask(let fact, let patience): await ask(fact, patience: patience)
      case .pause:
        status.lastAnswer = .now
        turn?.pause()
      case .cancelPendingWork: cancelPendingWork()
      case .show(let event): turn?.watch(event)
      case .finish(let end): finish(end)
      }
    }
  }

  /// Has the turn handle an input, and does what it decides.
  func handle(_ input: Input) async {
    guard let deadline = turn?.deadline else { return }
    await perform(turn?.turn.handle(input, at: TurnClock(deadline: deadline)) ?? [])
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
      for fact in facts { turn?.turn.state.apply(fact) }
      await handle(.written(facts, continuation))
    } catch {
      await handle(.writeFailed(error, continuation))
    }
  }

  /// Ends the turn of a worker that could not be sent what it waits for.
  private func giveUp(on run: RunID, because error: any Error) {
    guard let id = turn?.id else { return }
    // A task, because this effect belongs to an input that is still being handled.
    Task { await self.post(.unsendable(run, error), to: id) }
  }

  private func start(_ timer: TurnTimer, after delay: Duration) {
    guard let id = turn?.id else { return }
    // Unstructured: it ends after its delay. While the machine sleeps, so do the workers.
    Task {
      try? await Task.sleep(for: delay, clock: .suspending)
      if case .stop(let run) = timer, isFriend, processes.link(run) != nil {
        // A friend's turn ended at once, and its worker is to follow.
        processes.link(run)?.kill(.hung(seconds: Int(delay.components.seconds)))
      }
      await post(.timer(timer), to: id)
    }
  }

  func retire(_ run: RunID) {
    guard let link = processes.link(run) else { return }
    // The worker's end arrives as an event.
    Task { await link.retire() }
  }

  /// Ends calls to friends, questions to people and the launches of workers.
  private func cancelPendingWork() {
    guard let id = turn?.id else { return }
    processes.cancelLaunches()
    let approvals = services.approvals
    // The broker and the friends are actors of their own.
    Task { await approvals.withdraw(turn: id) }
    for friend in friends.running.values { Task { await friend.close() } }
    turn?.requests.values.forEach { $0.cancel() }
    turn?.forms.cancel()
  }

  // MARK: MCP servers

  private func examine(_ call: MCPCall) async {
    let needsApproval = await services.servers.needsApproval(call.request, session: title)
    await handle(.examined(call, needsApproval: needsApproval))
  }

  /// Asks an MCP server while the conversation keeps receiving messages.
  private func askServer(_ call: MCPCall, isApproved: Bool) {
    guard let id = turn?.id else { return }
    let (servers, session) = (services.servers, title)
    let caller = caller(of: call, in: id)
    // Unstructured: it ends with the answer, or soon after the turn no longer wants one.
    turn?.requests[call.call] = Task {
      let reply = await servers.answer(
        call.request,
        session: session,
        window: call.window,
        isApproved: isApproved,
        caller: caller
      )
      turn?.requests[call.call] = nil
      await post(.serverAnswered(call, reply), to: id)
    }
  }

  private func caller(of call: MCPCall, in id: Int64) -> MCPCaller {
    MCPCaller(traceparent: traceparent(of: call)) { progress in
      // A server does not wait until its progress is shown.
      Task { await self.show(progress, of: call, in: id) }
    } ask: { form in
      await self.ask(form, for: call, in: id)
    }
  }

  /// The span of a call, of which what its server does is a part.
  private func traceparent(of call: MCPCall) -> String? {
    guard let turn = turn?.turn, let header = turn.settings.traceparent,
      let place = turn.state.round?.place(of: call.callID)
    else { return nil }
    return services.tracing.call(TracedCall(turn: header, place: place))
  }

  private func show(_ progress: ToolProgress, of call: MCPCall, in id: Int64) {
    guard let turn, turn.id == id, turn.requests[call.call] != nil,
      let tool = turn.turn.state.round?.callThatMayRun(call.callID)?.toolName
    else { return }
    let agent = call.call.agent
    turn.watch(.toolProgress(id: call.callID, agent: agent, tool: tool, progress))
  }

  /// Has a person answer what the server of a call wants to know.
  private func ask(_ content: ApprovalForm, for call: MCPCall, in id: Int64) async -> FormAnswer {
    await withCheckedContinuation { continuation in
      guard turn?.id == id, turn?.requests[call.call]?.isCancelled == false,
        let number = turn?.forms.add(continuation)
      else { return continuation.resume(returning: .cancelled) }
      // Handling an input needs this actor, which the continuation occupies.
      Task { await post(.serverAsked(FormCall(call: call, number: number), content), to: id) }
    }
  }

  private func withdraw(_ question: Int64) {
    let approvals = services.approvals
    // The answer comes back as an input, while this effect belongs to another.
    Task {
      let denial = "Its server no longer waits for an answer."
      _ = try? await approvals.answer(question, denial: denial, by: .coordinator)
    }
  }

  private func ask(_ fact: Fact, patience: Duration) async {
    guard let question = ApprovalRecord(fact, session: title), let id = turn?.id else { return }
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

  private static let leftOpen =
    "The coordinator is stopping. The next one finishes this turn."

  /// Tells those who wait what the turn came to.
  private func finish(_ end: TurnEnd) {
    turn?.forms.cancel()
    guard let active = turn else { return }
    let state = active.turn.state
    takeBackTeam()
    status.lastAnswer = .now
    // Those who wait may have been reported before, and are not reported again.
    if (services.cores?.load.waiting ?? 0) > 0 { takeBackOwnCores() }
    if end.problem != nil {
      recovery.unwrittenEnd = UnwrittenEnd(
        turn: active.id,
        exit: end.exit,
        holder: state.baton.before
      )
    }
    past.end(state, reverts: end.reverts)
    if end.reverts || end.forgets { team.forget(after: state.unchanged) }
    let result = active.result(of: end)
    // The turn has one end, and another coordinator reports it, or this one does when the client for
    // which the turn waits has answered.
    if !end.isLeftOpen {
      active.watch(.ended(result.summary))
    } else if status.isClosed {
      active.watch(.trouble(Self.leftOpen))
    }
    active.end(with: result)
  }

  /// Journals an end that could not be written when it came.
  ///
  /// What others are told must be what is on disk.
  func writeEnd() async throws {
    guard let end = recovery.unwrittenEnd else { return }
    try await services.journal.append(
      [.ended(end.exit, revertingTo: end.holder)],
      in: record.id,
      turn: end.turn
    )
    recovery.unwrittenEnd = nil
  }
}
