import Foundation
import Journal
import Transcripts
import Wire

extension Conversation {
  /// Continues the turn of a lost worker from its journaled entries, or ends it where that is not
  /// possible.
  /// - Parameter keepsEntries: Whether the entries of a turn that ends so stay.
  func recover(
    from death: Death,
    of agent: String,
    _ run: RunID,
    keepsEntries: Bool = false
  ) async {
    guard let active = turn, active.run == run else { return }
    if active.stopping == nil, active.hasAnswer {
      // Only the worker's word that the answer was complete was missing.
      return await endTurn(capExit ?? .answered, reverting: false)
    }
    let explanation = death.explanation(during: active.round?.running(active.approvals) ?? [])
    var problem = "The worker of '\(agent)' died: \(explanation)"
    if isFriend { problem += remains(of: active) }
    // A friend's end is an answer to whoever asked it.
    guard active.stopping == nil, !isFriend, death.cause != .farewell(.unable) else {
      return await fail(run, .failed(problem), reverting: !keepsEntries)
    }
    var deaths = restarts[agent] ?? Restarts(services.restarts)
    let delay = deaths.noteDeath(at: .now)
    restarts[agent] = deaths
    guard let delay else {
      let count =
        deaths.count > 1 ? " It has died \(deaths.count) times in a short time." : ""
      return await fail(run, .failed(problem + count), reverting: !keepsEntries)
    }
    turn?.run = nil
    // The next worker makes the request again.
    turn?.takeBackAdmission()
    // The dead worker had not yet learned of decisions that may be made from now on.
    turn?.round?.undecided.formUnion(active.approvals.filter { $0.value.answer == nil }.keys)
    active.watch(.workerReplaced(agent: agent, death: explanation))
    // The conversation must keep receiving messages, such as one that stops the turn.
    Task {
      try? await Task.sleep(for: delay)
      await self.goOn(with: active.id)
    }
  }

  /// Notes that a worker has reached a bound.
  func note(_ exhaustion: Exhaustion, of agent: String) {
    guard let run = seats[agent]?.link.run, lives[run]?.exhaustion == nil else { return }
    lives[run]?.exhaustion = exhaustion
    lastWatch?(.trouble("The worker of '\(agent)' will be replaced: \(exhaustion)."))
  }

  /// The bound that an agent's worker has reached.
  func exhaustion(of agent: String) -> Exhaustion? {
    seats[agent].flatMap { lives[$0.link.run]?.exhaustion }
  }

  /// Continues the turn of a worker that failed after it had reached a bound, as if it had died.
  ///
  /// Its own error names what it could not do any more, such as to reach a server.
  /// - Parameter keepsEntries: Whether the agent's profile keeps the entries of a turn that fails.
  func replaceExhausted(_ agent: String, keepsEntries: Bool) async {
    guard let run = seats[agent]?.link.run, let exhaustion = exhaustion(of: agent) else { return }
    let death = Death(cause: .exhausted(exhaustion), lastLines: [])
    vacate(run)
    retire(run)
    await keep(death, of: agent, run)
    await recover(from: death, of: agent, run, keepsEntries: keepsEntries)
  }

  /// Journals a death in a turn, with what the worker left behind.
  func keep(_ death: Death, of agent: String, _ run: RunID) async {
    guard let active = turn, active.run == run else { return }
    do {
      try await services.journal.noteDeath(
        of: run.description,
        agent: agent,
        conversation: record.id,
        turn: active.id,
        cause: death.description,
        lastLines: death.lastLines,
        // Each text change of an unfinished request was at least one token.
        tokensOut: (lives[run]?.figures.tokensOut ?? 0) + (active.openRequest?.texts ?? 0),
        partialText: active.partial.excerpt
      )
    } catch {
      active.watch(.trouble(String(describing: error)))
    }
  }

  /// Describes what a friend had done before it died, for its caller.
  private func remains(of turn: ActiveTurn) -> String {
    var words =
      turn.figures.tokensOut > 0
      ? " It had written \(turn.figures.tokensOut.counted("token"))." : ""
    if let text = turn.partial.excerpt { words += " Its unfinished answer: \(text)" }
    return words
  }

  /// Gives a turn that no worker has to one.
  func goOn(with turn: Int64) async {
    guard let active = self.turn, active.id == turn, active.run == nil else { return }
    if active.stopping == nil, active.hasAnswer {
      // Answered under another coordinator, which may not have shown the answer.
      if active.attempts == 0, let text = active.answer {
        active.watch(.answered(agent: holder, text: text))
      }
      return await endTurn(capExit ?? .answered, reverting: false)
    }
    await giveTurn(to: active.round?.agent ?? holder)
  }

  // MARK: Turns of an earlier coordinator

  /// Whether there is a turn during which an earlier coordinator ended.
  package var isInterrupted: Bool { interrupted != nil }

  /// Whether the interrupted turn comes from a file, so that it goes on with the next prompt at the
  /// earliest: nobody here has asked for it.
  package var waitsForPrompt: Bool { interrupted?.record.isImported == true }

  /// Whether there is an interrupted turn that can go on without a person, as far as is known.
  var canResumeAlone: Bool { interrupted.map { !$0.waitsForPerson } ?? false }

  /// Finishes the turn during which an earlier coordinator ended; returns `nil` when there is none.
  /// - Throws: `ConversationError` or the journal's error; `CancellationError` when the caller has
  ///   gone away, in which case the turn goes on.
  package func resume(
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    let place = try await enterQueue(isAttended: isAttended, watch: watch)
    defer { leaveQueue(place) }
    return try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)?
      .summary
  }

  /// Waits for the queue, and shows the caller the resumed turn for which it waits.
  /// - Returns: The caller's place among the watchers of that turn, to be given up when it leaves.
  func enterQueue(
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> WatchersPlace? {
    guard let resuming else {
      try await enterQueue()
      return nil
    }
    let place = join(resuming, isAttended: isAttended, watch: watch)
    do {
      try await enterQueue()
      return place
    } catch {
      place.leave()
      throw error
    }
  }

  private func join(
    _ resuming: ResumedTurn,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) -> WatchersPlace {
    // Until now there may have been nobody who could be asked.
    if isAttended { attend() }
    return WatchersPlace(watchers: resuming.watchers, number: resuming.watchers.join(watch))
  }

  /// Lets a person be asked about the calls of the current turn, and of the friends that it has on
  /// the phone.
  func attend() {
    turn?.isAttended = true
    for friend in friends.values {
      // The friend has an actor of its own.
      Task { await friend.attend() }
    }
  }

  /// Finishes the turn during which an earlier coordinator ended; the caller has the queue.
  /// - Parameter place: The caller's place among the turn's watchers, if it has one already.
  @discardableResult
  func finishInterruptedTurn(
    from place: WatchersPlace?,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnResult? {
    guard !isClosed else { throw ConversationError.closed }
    if let givenUp = takeGivenUp() { watch(.trouble(givenUp)) }
    if let interrupted { try await takeUp(interrupted, isAttended: isAttended) }
    guard let resuming else { return nil }
    if place?.watchers === resuming.watchers { return try await result(of: resuming.result) }
    let place = join(resuming, isAttended: isAttended, watch: watch)
    defer { place.leave() }
    return try await result(of: resuming.result)
  }

  /// Returns, once, a description of what became of a turn that is not continued.
  package func takeGivenUp() -> String? { givenUp.take() }

  private func takeUp(_ interrupted: InterruptedTurn, isAttended: Bool) async throws {
    let id = interrupted.record.id
    // First, because a cancellation while the journal is awaited means this turn.
    isCancelRequested = false
    // Where this refuses, the turn stays as it is.
    let substitution = try await substitution()
    // On disk before the turn goes on, so that one that ends its coordinator again and again is not
    // resumed forever.
    try await services.journal.noteResumption(of: id, spent: interrupted.spent)
    if let substitution {
      try await services.journal.substitute(substitution, in: record.id, turn: id)
      holder = substitution.to
    }
    self.interrupted = nil
    let watchers = Watchers()
    watchers.open(
      with: .resumed(turn: id, conversation: title, prompt: interrupted.prompt)
    )
    if let substitution { tell(of: substitution, to: watchers.open) }
    let watch: Watchers.Watch = { watchers.tell($0) }
    // A task of its own: the sender of the next prompt did not ask for this turn, and must not
    // cancel it by going away.
    let result = Task {
      let deadline = SuspendingClock.now + .seconds(interrupted.secondsLeft)
      let result = await self.conduct(id, deadline: deadline, watch: watch) {
        interrupted.turn(deadline: deadline, isAttended: isAttended, watch: watch, finish: $0)
      }
      self.resuming = nil
      return result
    }
    resuming = ResumedTurn(result: result, watchers: watchers)
  }

  /// Waits for a turn that goes on by itself.
  /// - Throws: `CancellationError` when the caller has gone away; the turn goes on.
  private func result(of turn: Task<TurnResult, Never>) async throws -> TurnResult {
    // Waiting for a task does not end when the waiter is cancelled; waiting for a stream does.
    let (results, continuation) = AsyncStream<TurnResult>.makeStream()
    Task {
      continuation.yield(await turn.value)
      continuation.finish()
    }
    for await result in results { return result }
    throw CancellationError()
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
    case .farewell, .exited, .signaled, .exhausted, .hung, .notReady, .breach: false
    }
  }
}
