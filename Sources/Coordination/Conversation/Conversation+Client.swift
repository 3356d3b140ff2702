import Foundation
import Journal
package import Transcripts

// Turns that wait for the client that sent the prompt.

extension Conversation {
  /// Whether an interrupted turn waits for its client.
  package var waitsForClient: Bool { recovery.interrupted?.state.waitsForClient ?? false }

  /// What the turn that has no end has come to, on disk or here.
  var openState: TurnState? { recovery.interrupted?.state ?? turn?.turn.state }

  /// Goes on with the turn that waits for its client.
  ///
  /// Where other calls still wait, it goes on waiting.
  /// - Parameters:
  ///   - outputs: What the client's functions have returned.
  ///   - turn: The turn that is meant; `nil` for whichever waits.
  ///   - request: The identity of the client's request, which may be sent again.
  /// - Returns: What the turn came to; `nil` if it waits for its client again.
  /// - Throws: `ClientCallError`, `ConversationError`, `CancellationError` or the journal's error
  ///   when the outputs are not accepted.
  package func submit(
    _ outputs: [ClientToolOutput],
    turn: Int64? = nil,
    request: String? = nil,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    try outputs.validate()
    try await queue.enter()
    defer { queue.leave() }
    guard !status.isClosed else { throw closure }
    try Task.checkCancellation()
    status.isCancelRequested = false
    if let interrupted = recovery.interrupted, interrupted.state.waitsForClient {
      let new = try newOutputs(outputs, of: turn, request, in: interrupted.state)
      return try await goOn(with: new, request, after: interrupted, watch)
    }
    guard let active = self.turn, active.isPaused else {
      throw ClientCallError.notWaiting(session: title)
    }
    let new = try newOutputs(outputs, of: turn, request, in: active.turn.state)
    let id = active.id
    status.watch = watch
    return await part(of: id, until: active.deadline) { finish in
      self.turn?.goOn(finish)
    } then: {
      await self.post(.clientAnswered(new, request: request), to: id)
    }.result?.summary
  }

  private func newOutputs(
    _ outputs: [ClientToolOutput],
    of turn: Int64?,
    _ request: String?,
    in state: TurnState
  ) throws(ClientCallError) -> [ClientToolOutput] {
    if let turn, turn != state.id { throw .otherTurn(turn, session: title) }
    guard let round = state.round else { throw .notWaiting(session: title) }
    return try round.client.new(outputs, request: request)
  }

  /// Takes up a turn that waits on disk, once the client has answered everything.
  private func goOn(
    with new: [ClientToolOutput],
    _ request: String?,
    after interrupted: InterruptedTurn,
    _ watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    let answer = Fact.Event.answeredClient(new, request: request)
    let id = interrupted.id
    let remaining = interrupted.state.round?.callsForClient.filter { call in
      !new.contains { $0.callID == call.id }
    }
    if let remaining, !remaining.isEmpty {
      if !new.isEmpty {
        let facts = try await services.journal.append([answer], in: record.id, turn: id)
        recovery.interrupted?.apply(facts)
      }
      watch(.clientAnswered(turn: id, calls: new.map(\.callID)))
      watch(.clientCalls(remaining))
      return nil
    }
    try await resume(interrupted, isAttended: false, with: answer)
    watch(.clientAnswered(turn: id, calls: new.map(\.callID)))
    guard let resuming = recovery.resuming else { return nil }
    do {
      return try await part(of: resuming, isAttended: false, watch: watch).result?.summary
    } catch {
      // Unlike other turns that are taken up, this one goes on for the client alone.
      status.isCancelRequested = true
      recovery.wait?.cancel()
      await post(.stop(.cancelled), to: id)
      throw error
    }
  }

  // MARK: Turns whose client does something else

  /// Ends a turn that waits for its client, because a new prompt came instead.
  ///
  /// What was said stays; the calls get outputs that say that they were not answered.
  func endWaitingTurn(_ watch: @escaping @Sendable (TurnEvent) -> Void) async throws {
    let id: Int64
    if let interrupted = recovery.interrupted, interrupted.state.waitsForClient {
      id = interrupted.id
      try await end(interrupted, with: interrupted.state.unansweredOutputs, reverts: false)
    } else if let active = turn, active.isPaused {
      id = active.id
      await waitForEnd(of: id, after: .superseded)
    } else {
      return
    }
    watch(.trouble("Turn \(id) was waiting for its client, and was ended by this prompt."))
  }

  /// Ends a turn that waits for its client on disk, because a person takes it back.
  func cancelWaitingTurn() async {
    guard waitsForClient, (try? await queue.enter()) != nil else { return }
    defer { queue.leave() }
    guard let interrupted = recovery.interrupted, waitsForClient else { return }
    do {
      try await end(interrupted, reverts: true)
    } catch {
      show(.trouble(String(describing: error)))
    }
  }

  /// Ends a turn that waits on disk.
  private func end(
    _ interrupted: InterruptedTurn,
    with events: [Fact.Event] = [],
    reverts: Bool
  ) async throws {
    let end = Fact.Event.ended(
      .cancelled,
      revertingTo: reverts ? interrupted.state.baton.before : nil
    )
    let facts = try await services.journal.append(
      events + [end],
      in: record.id,
      turn: interrupted.id
    )
    recovery.interrupted = nil
    past.end(interrupted.state.applying(facts), reverts: reverts)
  }

  /// Leaves a turn that waits for its client to the disk alone, and lets its workers go.
  ///
  /// The turn is then as if its coordinator had ended.
  func park() async {
    // A caller that waits for the queue goes on with the turn.
    guard !isBusy, (try? await queue.enter()) != nil else { return }
    defer { queue.leave() }
    guard let active = turn, active.isPaused else { return }
    await waitForEnd(of: active.id, after: .stop(.cancelled, leavesOpen: true))
    let reader = JournalReader(services.journal)
    do {
      guard let turn = try await reader.turns(of: record.id).last, turn.exit == nil else { return }
      recovery.interrupted = try await InterruptedTurn(
        turn,
        of: record.id,
        from: past,
        friends: FriendRecovery.Result(),
        reader
      )
    } catch {
      // Read again with the conversation, which takes nothing more.
      status.isClosed = true
    }
  }

  // MARK: Functions

  /// Checks that the functions of a client can be offered to the agent that answers first.
  func check(_ functions: [ClientTool]?) async throws {
    guard let functions, !functions.isEmpty else { return }
    try functions.validate()
    let substitute = try await substitution()?.to
    let holder = substitute ?? openState?.baton.holder ?? past.holder
    try await services.catalog.check(functions, offeredTo: holder)
  }
}
