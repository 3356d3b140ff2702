import Foundation
import Journal
import Transcripts
import Wire

/// What a session has to do with the turns of earlier coordinators.
struct TurnRecovery: Sendable {
  /// A turn that an earlier coordinator began and did not end.
  var interrupted: InterruptedTurn?
  /// What became of an interrupted turn that is not continued, until it is told.
  var abandoned: String?
  /// An interrupted turn while it goes on here.
  var resuming: ResumedTurn?
}

extension Session {
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
    try await inQueue(isAttended: isAttended, watch: watch) { place in
      try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)?
        .result?.summary
    }
  }

  /// Waits for the queue, shows the caller the resumed turn for which it waits, and has the queue
  /// while something is done.
  /// - Parameter body: Gets the caller's place among the watchers of that turn.
  func inQueue<Value: Sendable>(
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    _ body: (WatcherPlace?) async throws -> Value
  ) async throws -> Value {
    var place: WatcherPlace?
    if let resuming = recovery.resuming {
      place = await join(resuming, isAttended: isAttended, watch: watch)
    }
    defer { place?.leave() }
    try await queue.enter()
    defer { queue.leave() }
    return try await body(place)
  }

  private func join(
    _ resuming: ResumedTurn,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> WatcherPlace {
    let place = WatcherPlace(watchers: resuming.watchers, number: resuming.watchers.join(watch))
    // Until now there may have been no person who could be asked.
    if isAttended { await conversation.attend(turn: resuming.id) }
    return place
  }

  /// Finishes the turn during which an earlier coordinator ended; the caller has the queue.
  /// - Parameter place: The caller's place among the turn's watchers, if it has one already.
  @discardableResult
  func finishInterruptedTurn(
    from place: WatcherPlace?,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnPart? {
    if let closure { throw closure }
    if let abandoned = takeAbandoned() { watch(.trouble(abandoned)) }
    if let interrupted = recovery.interrupted {
      _ = try await resume(interrupted, isAttended: isAttended)
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
    let place = await join(resuming, isAttended: isAttended, watch: watch)
    defer { place.leave() }
    return try await resuming.part
  }

  /// Returns, once, a description of what became of a turn that is not continued.
  package func takeAbandoned() -> String? { recovery.abandoned.take() }

  /// Takes up an interrupted turn, which goes on by itself.
  /// - Parameter answer: What the client, for which the turn waits, has answered.
  func resume(
    _ interrupted: InterruptedTurn,
    isAttended: Bool,
    with answer: Fact.Event? = nil
  ) async throws -> ResumedTurn {
    let id = interrupted.id
    // First, because a cancellation while the journal is awaited means this turn.
    try await conversation.prepareForTurn()
    // Where this refuses, the turn stays as it is.
    let substitution = try await substitution()
    if let closure { throw closure }
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
    let delay = interrupted.distantCall?.timeLeft(of: services.hostLease)
    if let delay, let call = interrupted.distantCall {
      watchers.open(with: call.delayed(by: delay))
    }
    // A task of its own: the sender of the next prompt did not ask for this turn, and must not
    // cancel it by going away.
    let result = Task {
      let part = await conversation.runTurn(
        state,
        deadline: SuspendingClock.now + (delay ?? .zero) + .seconds(interrupted.secondsLeft),
        isAttended: isAttended,
        isResumed: true,
        after: delay
      ) { watchers.show($0) }
      recovery.resuming = nil
      return part
    }
    let resuming = ResumedTurn(id: id, result: result, watchers: watchers)
    recovery.resuming = resuming
    return resuming
  }
}
