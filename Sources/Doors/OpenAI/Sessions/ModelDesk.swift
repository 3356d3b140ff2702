import Coordination
import Coordinator
import Foundation
import Transcripts

/// Finds the session of a request, and asks it.
struct ModelDesk: Sendable {
  /// How often a stream is looked at on which nothing is written.
  ///
  /// A comment comes when it was quiet since the last time, so after 10 s at the latest.
  static let interval = Duration.seconds(5)

  let service: any CoordinatorService
  let sessions: ModelSessions
  var interval = Self.interval

  func ask(_ request: ModelRequest, _ source: RequestSource) async throws -> ModelAnswer {
    guard let key = source.key else { return try await begin(request, source) }
    if let known = try sessions.reserve(key, body: source.body) {
      return try await repeated(known, request, source)
    }
    do {
      return try await begin(request, source)
    } catch {
      // What was not accepted can be asked again.
      sessions.forget(key: key)
      throw error
    }
  }

  private func begin(_ given: ModelRequest, _ source: RequestSource) async throws -> ModelAnswer {
    var request = given
    let place = try sessions.enter()
    let agent = try await agent(of: request.model)
    request.parameters.offerTools(to: agent?.takesClientTools ?? false)
    if request.question.first?.role == .tool { return try await submit(request, source, place) }
    let known = try await recognized(request)
    // Before it is looked up which turn is the latest: another request lets go of it once its own
    // turn is.
    let takenUp = request.isKept ? sessions.takeUp(known?.turn) : nil
    do {
      let evidence = try await evidence(for: request, after: known, isTakenUp: takenUp != nil)
      let plan = SessionPlan(request, evidence, newName: Self.newName(request))
      var answer = try await send(request, plan, source, place)
      answer.takenUp = takenUp
      return answer
    } catch {
      if let takenUp { sessions.release(turn: takenUp) }
      throw error
    }
  }

  private func send(
    _ request: ModelRequest,
    _ plan: SessionPlan,
    _ source: RequestSource,
    _ place: ModelSessions.Place
  ) async throws -> ModelAnswer {
    if case .fork(let session, let turn, let name) = plan {
      _ = try await service.fork(
        ForkRequest(
          session: session,
          name: name,
          turn: turn,
          origin: source.origin,
          isTemporary: request.isKept ? nil : true
        )
      )
    }
    let prompt = try Self.prompt(request, plan, source)
    if let key = source.key {
      sessions.record(.init(sent: prompt, parameters: request.parameters), key: key)
    }
    do {
      let pump = EventPump(try await service.prompt(prompt), interval: interval)
      return ModelAnswer(
        request: request,
        session: plan.session,
        source: source,
        sent: .prompt(prompt),
        pump: pump,
        service: service,
        place: place,
        awaitsAcceptance: true
      )
    } catch {
      if case .fork = plan { try? await service.delete(session: plan.session) }
      throw error
    }
  }

  /// Tells again what a request came to that is sent once more, or joins its turn.
  private func repeated(
    _ known: ModelSessions.KeyedRequest,
    _ given: ModelRequest,
    _ source: RequestSource
  ) async throws -> ModelAnswer {
    let place = try sessions.enter()
    var request = given
    request.parameters = known.parameters
    let events: EventStream<TurnEvent>
    if let turn = known.turn, case let report = try await service.turn(turn), report.exit != nil {
      events = EventStream(of: report.events)
    } else {
      events = try await service.prompt(known.sent)
    }
    return ModelAnswer(
      request: request,
      session: known.sent.session,
      source: source,
      sent: .prompt(known.sent),
      pump: EventPump(events, interval: interval),
      service: service,
      place: place,
      // Until its turn begins, it is shown what comes before it in its session.
      awaitsAcceptance: known.turn == nil,
      isRepeated: true
    )
  }

  /// Returns an answer once more, from its beginning.
  func join(_ answer: ModelAnswer) async throws -> ModelAnswer {
    let events =
      switch answer.sent {
      case .prompt(let prompt): try await service.prompt(prompt)
      case .outputs(let outputs): try await service.submit(outputs)
      }
    var again = answer
    again.pump = EventPump(events, interval: interval)
    again.takenUp = nil
    return again
  }

  /// Returns the agent of a model; `nil` while none is known.
  private func agent(of model: ModelName) async throws -> AgentSummary? {
    let agents = try await service.agents()
    if agents.isEmpty { return nil }
    if let agent = model.agent(among: agents) { return agent }
    let names = ModelName.all(of: agents).map(\.name.text).joined(separator: ", ")
    throw OpenAIError.notFound(
      "model",
      "There is no model '\(Excerpt.line(model.text, limit: 100))'. Available models: \(names).",
      param: "model"
    )
  }

  // MARK: Sessions

  /// Returns the turn that a request follows, or that the client's messages end with.
  private func recognized(_ request: ModelRequest) async throws -> TurnPlace? {
    if case .following(let turn) = request.key {
      return TurnPlace(session: try await session(of: turn), turn: turn)
    }
    return request.isKept ? sessions.place(of: request) : nil
  }

  /// Looks up no more than the plan needs: the answer waits for it.
  /// - Parameters:
  ///   - known: The turn that the request follows.
  ///   - isTakenUp: Whether no other request is about to go on from it.
  private func evidence(
    for request: ModelRequest,
    after known: TurnPlace?,
    isTakenUp: Bool
  ) async throws -> SessionEvidence {
    var evidence = SessionEvidence()
    if let known {
      let latest = try await service.latestTurn(of: known.session)
      // Messages may also begin a session once theirs was deleted; what a response is followed by
      // cannot.
      if latest != nil || request.followsResponse { evidence.recognized = known }
      evidence.isLatest = isTakenUp && latest == known.turn
    }
    switch request.key {
    case .appending(let session): evidence.exists = try await service.latestTurn(of: session) != nil
    case .named(let session), .chat(let session):
      guard evidence.recognized == nil else {
        evidence.exists = true
        break
      }
      evidence.exists = try await service.latestTurn(of: session) != nil
      // Read as a whole only for a client whose messages are not known.
      guard request.isKept, !request.history.isEmpty else { break }
      let said = try await said(in: session)
      (evidence.said, evidence.isBlank) = (said ?? [], !evidence.exists && said != nil)
    case .following, .none: break
    }
    return evidence
  }

  func session(of turn: Int64) async throws -> String {
    if let known = sessions.head(of: turn) { return known.session }
    do {
      return try await service.turn(turn).session
    } catch let error where ServiceError(error).code == .notFound {
      throw OpenAIError.notFound(
        "previous_response",
        "There is no response '\(ResponseID(turn: turn))'.",
        param: "previous_response_id"
      )
    }
  }

  /// - Returns: `nil` if there is no such session.
  private func said(in session: String) async throws -> [SaidMessage]? {
    do {
      return try await service.transcript(of: session).said
    } catch let error where ServiceError(error).code == .notFound {
      return nil
    }
  }

  private static func newName(_ request: ModelRequest) -> String {
    let letters = String(UInt64.random(in: .min ... .max), radix: 36)
    return (request.isKept ? "chat-" : "temporary-") + letters
  }

  // MARK: The prompt

  static func text(_ request: ModelRequest) -> String {
    request.question.map(\.text).filter { !$0.isEmpty }.joined(separator: [ClientMessage].separator)
  }

  private static func prompt(
    _ request: ModelRequest,
    _ plan: SessionPlan,
    _ source: RequestSource
  ) throws -> PromptRequest {
    var history: [RawEntry]?
    if case .begin = plan, !request.history.isEmpty {
      history = try Array(request.history).entries.map(RawEntry.init)
    }
    let options = request.options
    let images = request.question.flatMap(\.images)
    return PromptRequest(
      id: UUID().uuidString,
      session: plan.session,
      prompt: text(request),
      agent: request.model.agent,
      images: images.isEmpty ? nil : images,
      caps: request.parameters.caps,
      options: options == TurnOptions() ? nil : options,
      history: history,
      origin: source.origin,
      isTemporary: request.isKept ? nil : true
    )
  }
}
