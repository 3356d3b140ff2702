import Coordination
import Coordinator
import Foundation
import Journal
import Transcripts

// The outputs of the client's functions, for which a turn waits.

extension ModelDesk {
  private static let noCall = OpenAIError(
    400,
    "unknown_call",
    "No call of a function of the client waits for an output."
  )

  /// Goes on with the turn that waits for the outputs of a request.
  func submit(
    _ request: ModelRequest,
    _ source: RequestSource,
    _ place: ModelSessions.Place
  ) async throws -> ModelAnswer {
    guard let (session, turn) = try await waitingTurn(of: request) else { throw Self.noCall }
    let outputs = request.question.map { message in
      ClientToolOutput(
        callID: message.callID ?? "",
        text: message.text,
        images: message.images.map(\.data)
      )
    }
    let sent = ClientToolOutputs(
      id: source.key.map { "outputs-\($0)" } ?? UUID().uuidString,
      session: session,
      turn: turn,
      outputs: outputs
    )
    let events = try await service.submit(sent)
    // The service joins outputs that are sent again, since their identity is the key.
    if let key = source.key { sessions.forget(key: key) }
    return ModelAnswer(
      request: request,
      session: session,
      source: source,
      sent: .outputs(sent),
      pump: EventPump(events, interval: interval),
      service: service,
      place: place
    )
  }

  /// Returns the session of the calls, and their turn where it is known.
  private func waitingTurn(
    of request: ModelRequest
  ) async throws -> (session: String, turn: Int64?)? {
    switch request.key {
    case .following(let turn): return (try await session(of: turn), turn)
    case .appending(let session): return (session, nil)
    case .named, .chat, .none: break
    }
    if let known = sessions.place(of: request) { return (known.session, known.turn) }
    switch request.key {
    case .named(let session), .chat(let session): return (session, nil)
    case .following, .appending, .none: return try await matchingTurn(of: request)
    }
  }

  /// Finds the turn by its calls, of which this coordinator has told no client.
  ///
  /// Models may give the calls of several turns the same identity. What several turns wait for is
  /// the output of none.
  private func matchingTurn(
    of request: ModelRequest
  ) async throws -> (session: String, turn: Int64?)? {
    let calls = Array(request.history).merged.last?.calls ?? []
    guard !calls.isEmpty else { return nil }
    let waiting = Dictionary(grouping: try await service.processes().clientCalls, by: \.turn)
    let matching = waiting.values.filter { records in
      records.allSatisfy { record in calls.contains { $0.isCall(of: record) } }
    }
    guard matching.count == 1, let call = matching.first?.first, let session = call.session
    else { return nil }
    return (session, call.turn)
  }
}

extension ClientMessage.Call {
  fileprivate func isCall(of record: ClientCallRecord) -> Bool {
    id == record.callID && name == record.tool
      && arguments.canonicalJSON == record.arguments.canonicalJSON
  }
}
