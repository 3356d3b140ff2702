import Foundation
import Journal
package import Transcripts

// Turns that wait for the client that sent the prompt.

extension Session {
  /// Whether an interrupted turn waits for its client.
  package var waitsForClient: Bool { recovery.interrupted?.state.waitsForClient ?? false }

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
    if let closure { throw closure }
    try Task.checkCancellation()
    let submission = ClientSubmission(outputs: outputs, turn: turn, request: request)
    if let interrupted = recovery.interrupted, interrupted.state.waitsForClient {
      return try await goOn(with: submission, after: interrupted, watch)
    }
    return try await conversation.goOn(with: submission, watch: watch).result?.summary
  }

  /// Takes up a turn that waits on disk, once the client has answered everything.
  private func goOn(
    with submission: ClientSubmission,
    after interrupted: InterruptedTurn,
    _ watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    let id = interrupted.id
    let new = try submission.new(in: interrupted.state, session: title)
    let answer = Fact.Event.answeredClient(new, request: submission.request)
    let answered = TurnEvent.clientAnswered(turn: id, calls: new.map(\.callID))
    let remaining = (interrupted.state.round?.callsForClient ?? []).filter { call in
      !new.contains { $0.callID == call.id }
    }
    guard remaining.isEmpty else {
      if !new.isEmpty {
        let facts = try await services.journal.append([answer], in: record.id, turn: id)
        recovery.interrupted?.apply(facts)
      }
      watch(answered)
      watch(.clientCalls(remaining))
      return nil
    }
    let resuming = try await resume(interrupted, isAttended: false, with: answer)
    watch(answered)
    do {
      return try await part(of: resuming, isAttended: false, watch: watch).result?.summary
    } catch {
      // Unlike other turns that are taken up, this one goes on for the client alone.
      await conversation.cancel()
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
    } else if let waiting = await conversation.endPausedTurn(by: .superseded) {
      id = waiting
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
      await conversation.show(.trouble(String(describing: error)))
    }
  }

  /// Ends a turn that waits on disk.
  private func end(
    _ interrupted: InterruptedTurn,
    with events: [Fact.Event] = [],
    reverts: Bool
  ) async throws {
    let holder = reverts ? interrupted.state.baton.before : nil
    let facts = try await services.journal.append(
      events + [.ended(.cancelled, revertingTo: holder)],
      in: record.id,
      turn: interrupted.id
    )
    recovery.interrupted = nil
    await conversation.endPast(with: interrupted.state.applying(facts), reverts: reverts)
  }

  /// Leaves a turn that waits for its client to the disk alone, and lets its workers go.
  ///
  /// The turn is then as if its coordinator had ended.
  func park() async {
    // A caller that waits for the queue goes on with the turn.
    guard !queue.isBusy, (try? await queue.enter()) != nil else { return }
    defer { queue.leave() }
    let leaving = Input.stop(.cancelled, leavesOpen: true)
    guard await conversation.endPausedTurn(by: leaving) != nil else { return }
    let reader = JournalReader(services.journal)
    do {
      guard let turn = try await reader.turns(of: record.id).last, turn.exit == nil else { return }
      recovery.interrupted = try await InterruptedTurn(
        turn,
        of: record.id,
        from: await conversation.past,
        friends: FriendRecovery(journal: services.journal).endFriends(of: turn.id, in: record.id),
        reader
      )
    } catch {
      // Read again with the conversation, which takes nothing more.
      closure = .closed
    }
  }
}

/// What a client has sent for its calls.
struct ClientSubmission {
  let outputs: [ClientToolOutput]
  /// The turn that is meant; `nil` for whichever waits.
  let turn: Int64?
  /// The identity of the client's request, which may be sent again.
  let request: String?

  /// The outputs that a turn does not have yet.
  func new(in state: TurnState, session: String) throws(ClientCallError) -> [ClientToolOutput] {
    if let turn, turn != state.id { throw .otherTurn(turn, session: session) }
    guard let round = state.round else { throw .notWaiting(session: session) }
    return try round.client.new(outputs, request: request)
  }
}
