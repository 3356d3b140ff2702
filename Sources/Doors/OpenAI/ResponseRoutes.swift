import Coordination
import Coordinator
import Foundation
import Hummingbird
import Journal
import Transcripts

// Responses: made, read again, deleted and cancelled.

extension OpenAIRoutes {
  func addResponses(to router: Router<DoorContext>) {
    router.post("\(Self.responses)") { request, context in try await create(request, context) }
    router.get("\(Self.responses)/:id") { request, context in
      guard request.uri.queryParameters["stream"] != "true" else {
        throw OpenAIError.unsupported("stream", "A response is not streamed a second time.")
      }
      let (encoder, _) = try await response(context)
      return try Response(json: encoder.whole, in: [:])
    }
    router.delete("\(Self.responses)/:id") { _, context in try await delete(context) }
    router.post("\(Self.responses)/:id/cancel") { _, context in try await cancel(context) }
  }

  private func create(_ request: Request, _ context: DoorContext) async throws -> Response {
    let body = try await request.openAIBody()
    var asked = try ResponseRequest.read(body.readableBytesView)
    asked.readSession(request.headers)
    guard asked.isKept || !asked.isInBackground else {
      throw OpenAIError.unsupported(
        "background",
        "A response in the background is fetched later, and this one would not be kept."
      )
    }
    let answer = try await desk.ask(asked, RequestSource(request, body: body))
    let head = ResponseHead(
      session: answer.session,
      model: asked.model.text,
      created: Int(Date().timeIntervalSince1970),
      isStored: asked.isKept,
      isInBackground: asked.isInBackground,
      metadata: asked.metadata,
      echoes: asked.parameters.echoes
    )
    let writer = writer(of: answer, head)
    guard asked.isInBackground else { return try await respond(writer, context) }
    return try await answerInBackground(writer, context)
  }

  private func writer(
    of answer: ModelAnswer,
    _ head: ResponseHead
  ) -> AnswerWriter<ResponseEncoder> {
    AnswerWriter(answer, desk.sessions, ResponseEncoder(head) { Int(Date().timeIntervalSince1970) })
    {
      [sessions = desk.sessions] turn in
      var begun = head
      begun.turn = turn
      sessions.record(begun)
    }
  }

  /// Answers although the client may go.
  private func answerInBackground(
    _ given: AnswerWriter<ResponseEncoder>,
    _ context: DoorContext
  ) async throws -> Response {
    var writer = given
    // Without a turn there is no identity to tell the client.
    try await writer.begin(within: .seconds(300))
    guard writer.turn != nil else {
      writer.abandon()
      throw OpenAIError(ServiceError(.tooManyRequests, "The session is busy. Try again later."))
    }
    let stream = writer.answer.request.isStreaming ? try await desk.join(writer.answer) : nil
    let started = writer
    // Unstructured: it ends with the turn, which goes on when the client has gone.
    Task {
      var writer = started
      try? await writer.complete()
    }
    guard let stream else { return try Response(json: started.encoder.whole, in: [:]) }
    return try await respond(self.writer(of: stream, started.encoder.head), context)
  }

  // MARK: Reading

  /// Computes a response from the journal.
  private func response(
    _ context: DoorContext
  ) async throws -> (encoder: ResponseEncoder, report: TurnReport) {
    let text = context.parameters.get("id") ?? ""
    let missing = OpenAIError.notFound(
      "response",
      "There is no response '\(Excerpt.line(text, limit: 100))'."
    )
    guard let id = ResponseID(text) else { throw missing }
    let report: TurnReport
    do {
      report = try await service.turn(id.turn)
    } catch let error where ServiceError(error).code == .notFound {
      throw missing
    }
    let agents = report.turn.entries.compactMap(\.agent)
    let created = Int(report.turn.started.timeIntervalSince1970)
    let head =
      desk.sessions.head(of: id.turn)
      ?? ResponseHead(
        turn: id.turn,
        session: report.session,
        model: agents.last ?? report.holder,
        created: created
      )
    let calls = try await clientCalls(of: report)
    var encoder = ResponseEncoder(head) { created }
    var reader = TurnReader(clientTools: Set(calls.map(\.name)))
    for event in report.events {
      for part in reader.read(event) { _ = encoder.encode(part) }
    }
    if !calls.isEmpty {
      for call in calls { _ = encoder.encode(.clientCall(call)) }
      let end = AnswerEnd(reason: .waiting, usage: report.usage, holder: report.holder)
      _ = encoder.encode(.ended(end))
    }
    return (encoder, report)
  }

  /// Returns the calls that a turn waits for its client to perform.
  private func clientCalls(of report: TurnReport) async throws -> [ClientMessage.Call] {
    guard report.exit == nil else { return [] }
    return try await service.processes().clientCalls.filter { $0.turn == report.turn.turn }.map {
      ClientMessage.Call(id: $0.callID, name: $0.tool, arguments: $0.arguments)
    }
  }

  private func delete(_ context: DoorContext) async throws -> Response {
    let (_, report) = try await response(context)
    // A journal keeps all turns of a session or none.
    guard try await service.transcript(of: report.session).turns.count == 1 else {
      throw OpenAIError(
        400,
        "response_in_conversation",
        "The response is part of the session '\(report.session)', and is deleted with it:"
          + " orchestrator sessions delete '\(report.session)'."
      )
    }
    try await service.delete(session: report.session)
    return try Response(
      json: JSON(properties: [
        "id": "\(ResponseID(turn: report.turn.turn))", "object": "response", "deleted": true,
      ]),
      in: [:]
    )
  }

  private func cancel(_ context: DoorContext) async throws -> Response {
    var (encoder, report) = try await response(context)
    guard report.exit == nil else {
      throw OpenAIError.invalid(nil, "The response has ended and cannot be cancelled.")
    }
    try await service.cancel(session: report.session)
    _ = encoder.encode(.ended(AnswerEnd(reason: .cancelled)))
    return try Response(json: encoder.whole, in: [:])
  }
}
