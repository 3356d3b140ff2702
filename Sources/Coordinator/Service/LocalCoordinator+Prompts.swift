package import Coordination
import Foundation
import Journal
import Logging

extension LocalCoordinator {
  typealias Claim = SessionEvents.Claim

  package func prompt(_ request: PromptRequest) async throws -> EventStream<TurnEvent> {
    try request.validate()
    let name = try SessionName.checked(request.session)
    if let id = request.id,
      let known = try await RequestedTurn(id, JournalReader(coordinator.journal))
    {
      return try await rejoin(known, request, id: id)
    }
    let id = request.id ?? UUID().uuidString
    let (caps, events) = (coordinator.settings.caps, coordinator.events)
    return try await events.run(id, Claim(session: name, prompt: request.prompt)) {
      let conversation = try await conversations.conversation(
        named: name,
        SessionBeginning(
          agent: request.agent,
          origin: request.origin,
          isTemporary: request.isTemporary ?? false,
          history: request.history ?? []
        )
      )
      try await deletingTemporary(conversation, name) {
        try await conversation.respond(
          to: request.prompt,
          begunBy: request.agent,
          images: request.images ?? [],
          caps: request.caps?.over(caps) ?? caps,
          options: request.options,
          request: request.id,
          isAttended: request.isAttended ?? isAttended
        ) { events.publish($0, session: name, request: id) }
      }
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
    else { throw SessionEvents.conflict(id) }
    if let replay = known.events {
      let (events, continuation) = AsyncThrowingStream<TurnEvent, any Error>.makeStream()
      for event in replay { continuation.yield(event) }
      continuation.finish()
      return EventStream(events)
    }
    let events = coordinator.events
    return try await events.run(id, Claim(session: name, prompt: request.prompt)) {
      let conversation = try await conversations.existing(name)
      try await deletingTemporary(conversation, name) {
        try await conversation.resume(isAttended: request.isAttended ?? isAttended) {
          events.publish($0, session: name, request: id)
        }
      }
    }
  }

  /// Has a session answer, and deletes a temporary one whose turn has ended, also when it failed.
  func deletingTemporary(
    _ conversation: Conversation,
    _ name: String,
    after body: () async throws -> TurnSummary?
  ) async throws {
    let answer = await Result { try await body() }
    // A turn that waits for its client has not ended.
    if case .success(nil) = answer { return }
    // A prompt may also have been refused while the turn before it waits for its client.
    if await conversation.isSpent { await deleteTemporary(name) }
    _ = try answer.get()
  }

  /// Deletes a temporary session whose turn has ended.
  ///
  /// One that other prompts wait for is deleted after the last of them; one that cannot be deleted
  /// now, at the next start.
  private func deleteTemporary(_ name: String) async {
    do {
      try await delete(session: name)
    } catch SessionError.isUnderWay {
    } catch {
      coordinator.logger.notice("the temporary session '\(name)' is not deleted yet: \(error)")
    }
  }
}

extension Result where Failure == any Error {
  /// Keeps what a body returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
