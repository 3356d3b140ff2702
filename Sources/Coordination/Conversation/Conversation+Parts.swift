import Transcripts

// The parts of a turn: one ends with the turn, or when the turn waits for its client.

extension Conversation {
  /// Waits for a turn until it ends or waits for its client.
  /// - Parameters:
  ///   - register: Stores what is called at the end of the part.
  ///   - start: Has the turn begin or go on.
  func part(
    of id: Int64,
    until deadline: SuspendingClock.Instant,
    register: (@escaping ActiveTurn.Finish) -> Void,
    start: @escaping @Sendable () async -> Void
  ) async -> TurnPart {
    let alarm = Alarm(at: deadline) {
      // The alarm fires on a thread of its own.
      Task { await self.timeIsUp(of: id) }
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler {
      // Names the actor that `register` changes: a closure that does not would run outside of it.
      assertIsolated()
      return await withCheckedContinuation { continuation in
        register { continuation.resume(returning: $0) }
        // Handling an input needs this actor, which the continuation occupies.
        Task { await start() }
      }
    } onCancel: {
      // Cancellation arrives on any thread; the actor decides what it means.
      Task { await self.cancelPart(of: id) }
    }
  }

  /// Stops a turn, unless the part of it that was meant is over because the turn waits.
  private func cancelPart(of id: Int64) async {
    if turn?.id == id, turn?.isPaused == true { return }
    await post(.stop(.cancelled), to: id)
  }

  // MARK: Turns that wait for their clients

  /// Whether a turn waits for its client.
  var isPaused: Bool { turn?.isPaused ?? false }

  /// Goes on with the turn that waits for its client.
  func goOn(
    with submission: ClientSubmission,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws(ClientCallError) -> TurnPart {
    guard let active = turn, active.isPaused else { throw .notWaiting(session: title) }
    let new = try submission.new(in: active.turn.state, session: title)
    status.isCancelRequested = false
    status.watch = watch
    return await part(of: active.id, until: active.deadline) { finish in
      turn?.goOn(finish)
    } start: {
      await self.post(.clientAnswered(new, request: submission.request), to: active.id)
    }
  }

  /// Has the turn that waits for its client end, and waits until it has.
  /// - Returns: The turn; `nil` if none waits.
  func endPausedTurn(by input: Input) async -> Int64? {
    guard let active = turn, active.isPaused else { return nil }
    await withCheckedContinuation { continuation in
      turn?.await { _ in continuation.resume() }
      // Handling an input needs this actor, which the continuation occupies.
      Task { await self.post(input, to: active.id) }
    }
    return active.id
  }
}
