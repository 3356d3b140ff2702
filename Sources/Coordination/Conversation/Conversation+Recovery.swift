import Foundation
import Journal
import Transcripts
import Wire

/// What a conversation has to do with turns of earlier coordinators.
struct TurnRecovery: Sendable {
  /// A turn that an earlier coordinator began and did not end.
  var interrupted: InterruptedTurn?
  /// What became of an interrupted turn that is not continued, until it is told.
  var abandoned: String?
  /// An interrupted turn while it goes on here.
  var resuming: ResumedTurn?
  /// What it waits for before that.
  var wait: Task<Void, Never>?
  /// Whether a person has come meanwhile.
  var isAttended = false
  /// The end of a turn that could not be journaled; no other turn begins before it is.
  var unwrittenEnd: UnwrittenEnd?

  var isAtRest: Bool { resuming == nil && unwrittenEnd == nil }
}

extension Conversation {
  /// Whether there is a turn during which an earlier coordinator ended.
  package var isInterrupted: Bool { recovery.interrupted != nil }

  /// Whether the interrupted turn comes from a file, so that it goes on with the next prompt at the
  /// earliest: nothing here has asked for it.
  package var waitsForPrompt: Bool { recovery.interrupted?.isImported == true }

  /// Whether there is an interrupted turn that can go on without a person, as far as is known.
  var canResumeAlone: Bool { recovery.interrupted.map { !$0.waitsForPerson } ?? false }

  /// Finishes the turn during which an earlier coordinator ended; returns `nil` when there is none,
  /// or when it comes to wait for its client.
  /// - Throws: `ConversationError` or the journal's error; `CancellationError` when the caller has
  ///   gone away, in which case the turn goes on.
  package func resume(
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    let place = try await enterQueue(isAttended: isAttended, watch: watch)
    defer {
      place?.leave()
      queue.leave()
    }
    return try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)?
      .result?.summary
  }

  /// Waits for the queue, and shows the caller the resumed turn for which it waits.
  /// - Returns: The caller's place among the watchers of that turn, to be given up when it leaves.
  func enterQueue(
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> WatcherPlace? {
    let place = recovery.resuming.map { join($0, isAttended: isAttended, watch: watch) }
    do {
      try await queue.enter()
      return place
    } catch {
      place?.leave()
      throw error
    }
  }

  private func join(
    _ resuming: ResumedTurn,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) -> WatcherPlace {
    // Until now there may have been no person who could be asked.
    if isAttended { attend() }
    return WatcherPlace(watchers: resuming.watchers, number: resuming.watchers.join(watch))
  }

  /// Finishes the turn during which an earlier coordinator ended; the caller has the queue.
  /// - Parameter place: The caller's place among the turn's watchers, if it has one already.
  @discardableResult
  func finishInterruptedTurn(
    from place: WatcherPlace?,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnPart? {
    guard !status.isClosed else { throw closure }
    if let abandoned = takeAbandoned() { watch(.trouble(abandoned)) }
    if let interrupted = recovery.interrupted {
      try await resume(interrupted, isAttended: isAttended)
    }
    guard let resuming = recovery.resuming else { return nil }
    if place?.watchers === resuming.watchers { return try await resuming.part }
    return try await part(of: resuming, isAttended: isAttended, watch: watch)
  }

  /// Shows a caller a turn that goes on by itself, and waits for it.
  func part(
    of resuming: ResumedTurn,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnPart {
    let place = join(resuming, isAttended: isAttended, watch: watch)
    defer { place.leave() }
    return try await resuming.part
  }

  /// Returns, once, a description of what became of a turn that is not continued.
  package func takeAbandoned() -> String? { recovery.abandoned.take() }

  /// - Parameter answer: What the client, for which the turn waits, has answered.
  func resume(
    _ interrupted: InterruptedTurn,
    isAttended: Bool,
    with answer: Fact.Event? = nil
  ) async throws {
    let id = interrupted.id
    // First, because a cancellation while the journal is awaited means this turn.
    status.isCancelRequested = false
    // Where this refuses, the turn stays as it is.
    let substitution = try await substitution()
    // On disk before the turn goes on, so that one that ends its coordinator again and again is not
    // resumed forever.
    var events = [answer, .resumed(spent: interrupted.spent)].compactMap(\.self)
    if let substitution { events.append(.passedBaton(substitution)) }
    let facts = try await services.journal.append(events, in: record.id, turn: id)
    recovery.interrupted = nil
    let state = interrupted.state.applying(facts)
    let watchers = ResumedTurnWatchers()
    watchers.open(
      with: .resumed(turn: id, conversation: title, prompt: interrupted.prompt)
    )
    for event in substitution?.eventsOfSubstitution ?? [] { watchers.open(with: event) }
    recovery.isAttended = isAttended
    // Either may have come while the journal was awaited.
    recovery.wait =
      status.isClosed || status.isCancelRequested
      ? nil : interrupted.distantCall?.wait(services.hostLease, watchers.open)
    // A task of its own: the sender of the next prompt did not ask for this turn, and must not
    // cancel it by going away.
    let result = Task {
      await recovery.wait?.value
      recovery.wait = nil
      let part = await self.runTurn(
        state,
        deadline: SuspendingClock.now + .seconds(interrupted.secondsLeft),
        isAttended: recovery.isAttended,
        isResumed: true
      ) { watchers.show($0) }
      recovery.resuming = nil
      return part
    }
    recovery.resuming = ResumedTurn(result: result, watchers: watchers)
  }

  /// Lets a person be asked about the calls of the current turn, and of the friends that it has on
  /// the phone.
  func attend() {
    turn?.turn.isAttended = true
    // One that waits before it goes on.
    recovery.isAttended = true
    for friend in friends.running.values {
      // The friend has an actor of its own.
      Task { await friend.attend() }
    }
  }

  /// Returns the move of the baton from a holder that is gone; a friend is answered by no other.
  func substitution() async throws -> BatonPass? {
    let holder = recovery.interrupted?.state.baton.holder ?? past.holder
    return isFriend ? nil : try await services.catalog.substitution(for: holder)
  }
}
