import Foundation
import Journal
package import Transcripts

/// A session: a conversation that a person knows by its name, and the prompts that are sent to it.
///
/// Prompts are answered one after another, and after the turn that an earlier coordinator left.
package actor Session {
  nonisolated let conversation: Conversation
  let queue = TurnQueue()
  var recovery: TurnRecovery
  /// Why it accepts no more prompts; `nil` while it does.
  var closure: ConversationError?

  init(_ conversation: Conversation, recovery: TurnRecovery) {
    self.conversation = conversation
    self.recovery = recovery
  }

  nonisolated var record: ConversationRecord { conversation.record }
  nonisolated var services: ConversationServices { conversation.services }
  nonisolated var title: String { conversation.title }

  // MARK: Prompts

  /// Answers a prompt, after earlier prompts and after a turn that an earlier coordinator left.
  /// - Parameters:
  ///   - agent: Who is to begin a new conversation; one that exists goes on with its holder.
  ///   - images: The images of the prompt.
  ///   - options: What the sender asks of the turn.
  ///   - request: The identity of the sender's request, by which the turn can be found.
  ///   - isAttended: Whether a person is present who can be asked before calls are made.
  /// - Returns: What the turn came to; `nil` if it waits for its client.
  /// - Throws: `ConversationError`, `ClientToolFault`, `CancellationError` or the journal's error
  ///   when the prompt is not accepted. After that, the summary reports everything that happens.
  package func respond(
    to prompt: String,
    begunBy agent: String? = nil,
    images: [PromptImage] = [],
    caps: Caps,
    options: TurnOptions? = nil,
    request: String? = nil,
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    try await inQueue(isAttended: isAttended, watch: watch) { place in
      try await check(options?.clientTools)
      // One that waits for its client is not taken up: the prompt ends it.
      if !waitsForClient {
        try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)
      }
      if let closure { throw closure }
      try Task.checkCancellation()
      // Before that turn ends, because a prompt that is refused leaves it as it is.
      let entry = try RawEntry(
        prompt: prompt,
        images: images,
        options: options,
        after: await present.history
      )
      try await endWaitingTurn(watch)
      let state = try await begin(
        entry,
        begunBy: agent,
        caps: caps,
        options: options,
        request: request,
        watch: watch
      )
      return await conversation.runTurn(
        state,
        deadline: SuspendingClock.now + .seconds(caps.seconds),
        isAttended: isAttended,
        watch: watch
      ).result?.summary
    }
  }

  /// Begins a turn in the journal, and shows that its prompt is accepted.
  private func begin(
    _ prompt: RawEntry,
    begunBy agent: String?,
    caps: Caps,
    options: TurnOptions?,
    request: String?,
    watch: @Sendable (TurnEvent) -> Void
  ) async throws -> TurnState {
    try await conversation.prepareForTurn()
    let (past, substitution) = (await conversation.past, try await self.substitution())
    let begun = try await services.journal.beginTurn(
      in: record.id,
      prompt: prompt,
      caps: caps.journaled,
      options: options,
      request: request,
      substitution: substitution
    )
    let state = past.turn(begun.turn.id, budget: Budget(caps)).applying(begun.facts)
    watch(.accepted(turn: state.id, conversation: title))
    if let agent, agent != past.holder {
      let holder = substitution?.to ?? past.holder
      watch(.trouble(TurnEvent.correction(of: title, goingOnWith: holder, beginner: agent)))
    }
    for event in substitution?.eventsOfSubstitution ?? [] { watch(event) }
    return state
  }

  /// What the conversation has come to, with the turn that has no end, on disk or here.
  private var present: ConversationPast {
    get async {
      if let state = recovery.interrupted?.state { return ConversationPast(state) }
      return await conversation.present
    }
  }

  /// Checks that the functions of a client can be offered to the agent that answers first.
  private func check(_ functions: [ClientTool]?) async throws {
    guard let functions, !functions.isEmpty else { return }
    try functions.validate()
    let substitute = try await substitution()?.to
    let holder = await present.holder
    try await services.catalog.check(functions, offeredTo: substitute ?? holder)
  }

  /// Returns the move of the baton from a holder that is gone.
  func substitution() async throws -> BatonPass? {
    let past = await conversation.past
    let holder = recovery.interrupted?.state.baton.holder ?? past.holder
    return try await services.catalog.substitution(for: holder)
  }

  /// Stops the turn that is under way, or ends one that waits for its client on disk.
  package func cancel() async {
    if await !conversation.cancel() { await cancelWaitingTurn() }
  }

  // MARK: The queue

  /// How many prompts wait for the one that is being answered.
  var waitingPrompts: Int { queue.count }

  /// Whether a prompt is being answered, or a turn of an earlier coordinator goes on.
  private var isBusy: Bool { queue.isBusy || recovery.resuming != nil }

  /// Whether it has come to these entries, and nothing is under way.
  func hasComeTo(_ history: [RawEntry]) async -> Bool {
    let past = await conversation.past
    return !queue.isBusy && !isInterrupted
      && past.history.elementsEqual(history) { $0.json == $1.json }
  }

  // MARK: Rest

  /// Whether it is deleted when its turn ends.
  package nonisolated var isTemporary: Bool { record.isTemporary }

  /// Whether it is temporary and has no turn that can go on, so that it is to be deleted.
  ///
  /// A turn that waits for its client on disk goes on with the client's outputs.
  package var isSpent: Bool { isTemporary && !isInterrupted }

  /// Ends the workers if nothing was asked for some time.
  ///
  /// The next prompt starts new ones, which have to read everything again.
  func retireWorkers(idleFor time: Duration) async {
    guard await conversation.idleTime > time else { return }
    if await conversation.isPaused { await park() }
    await conversation.retireWorkers()
  }

  /// Whether it was idle for some time, has nothing under way and is fully journaled.
  func isAtRest(for time: Duration) async -> Bool {
    let isIdle = await conversation.isAtRest(for: time)
    return isIdle && !isBusy
  }

  /// Stops the current turn and ends all workers; returns when they are gone, which is journaled.
  func close() async {
    closure = closure ?? .closed
    await conversation.close()
    // A turn that was only about to begin leaves itself to the next coordinator.
    _ = await recovery.resuming?.result.value
  }

  /// Closes the session for its deletion, unless a prompt is being answered.
  /// - Returns: Whether it is closed.
  func closeForDeletion() async -> Bool {
    let isIdle = await conversation.turn == nil
    guard isIdle, !isBusy, closure == nil else { return false }
    closure = .deleted(title)
    await conversation.close()
    return true
  }
}
