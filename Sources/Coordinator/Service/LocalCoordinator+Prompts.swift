package import Coordination
import Foundation
import Journal
import Logging

extension LocalCoordinator {
  typealias Claim = EventRequests.Claim

  package func prompt(_ request: PromptRequest) async throws -> EventStream<TurnEvent> {
    try request.validate()
    let name = try SessionName.checked(request.session)
    if let id = request.id,
      let known = try await RequestedTurn(id, JournalReader(coordinator.journal))
    {
      return try await rejoin(known, request, id: id)
    }
    let caps = coordinator.settings.caps
    return try await run(request.id, Claim(session: name, prompt: request.prompt)) {
      try await coordinator.sessions.session(
        named: name,
        SessionBeginning(
          agent: request.agent,
          origin: request.origin,
          isTemporary: request.isTemporary ?? false,
          history: request.history ?? []
        )
      )
    } answer: { session, publish in
      try await session.respond(
        to: request.prompt,
        begunBy: request.agent,
        images: request.images ?? [],
        caps: request.caps?.over(caps) ?? caps,
        options: request.options,
        request: request.id,
        isAttended: request.isAttended ?? isAttended,
        watch: publish
      )
    }
  }

  /// Joins the turn that a request has begun before, or replays it.
  ///
  /// The turn of a coordinator that has ended goes on.
  private func rejoin(
    _ known: RequestedTurn,
    _ request: PromptRequest,
    id: String
  ) async throws -> EventStream<TurnEvent> {
    let name = try SessionName.checked(request.session)
    guard known.session == name, known.prompt == request.prompt, known.options == request.options
    else { throw EventRequests.conflict(id) }
    if let replay = known.events { return EventStream(of: replay) }
    return try await run(id, Claim(session: name, prompt: request.prompt)) {
      try await coordinator.sessions.existing(name)
    } answer: { session, publish in
      try await session.resume(isAttended: request.isAttended ?? isAttended, watch: publish)
    }
  }

  /// Runs a request, or joins the one of the same identity.
  /// - Parameters:
  ///   - find: Finds the session that answers, or begins it.
  ///   - answer: Has it answer, and publishes the events; returns `nil` when the turn waits for its
  ///     client.
  func run(
    _ request: String?,
    _ claim: Claim,
    in find: @escaping @Sendable () async throws -> Session,
    answer:
      @escaping @Sendable (
        Session, _ publish: @escaping @Sendable (TurnEvent) -> Void
      ) async throws -> TurnSummary?
  ) async throws -> EventStream<TurnEvent> {
    let (id, events) = (request ?? UUID().uuidString, coordinator.events)
    return try await events.run(id, claim) {
      let session = try await find()
      do {
        let summary = try await answer(session) {
          events.publish($0, session: claim.session, request: id)
        }
        // A turn that waits for its client has not ended.
        if summary != nil { await deleteIfSpent(session, claim.session) }
      } catch {
        await deleteIfSpent(session, claim.session)
        throw error
      }
    }
  }

  /// Deletes a temporary session whose turn has ended, also when it failed.
  ///
  /// One that other prompts wait for is deleted after the last of them; one that cannot be deleted
  /// now, at the next start.
  private func deleteIfSpent(_ session: Session, _ name: String) async {
    // A prompt may also have been refused while the turn before it waits for its client.
    guard await session.isSpent else { return }
    do {
      try await delete(session: name)
    } catch SessionError.isUnderWay {
    } catch {
      coordinator.logger.notice("the temporary session '\(name)' is not deleted yet: \(error)")
    }
  }
}
