import AgentKit
import Wire

/// Plays the coordinator for the turns of a bare worker.
enum Turns {
  static func prompt(_ text: String) throws -> TurnOrder {
    let prompt = Transcript.Prompt(segments: [.text(.init(content: text))])
    return TurnOrder(turn: 1, kept: 0, added: [try RawEntry(.prompt(prompt))])
  }

  /// Replies to every request until a certain message arrives.
  @discardableResult
  static func serve(
    _ worker: BareWorker,
    until isMeant: (FromWorker) -> Bool
  ) async throws -> FromWorker {
    while true {
      let message = try await worker.hear { isMeant($0) || $0.isRequest }
      try reply(to: message, of: worker)
      if isMeant(message) { return message }
    }
  }

  static func reply(to message: FromWorker, of worker: BareWorker) throws {
    if let reply = reply(to: message) { try worker.say(reply) }
  }

  /// Returns the reply that grants a request; `nil` to a message that is none.
  static func reply(to message: FromWorker) -> ToWorker? {
    guard case .request(let id, _, let request) = message else { return nil }
    let reply: WorkerReply =
      switch request {
      case .admission: .admission(.admitted(.go(maximumTokens: nil)))
      case .record, .recordEarly, .recordState: .recorded(AdmittedCalls(count: 100))
      case .hostTool(_, .approval): .approval(.approved)
      case .hostTool(_, .passBaton(let agent)): .baton(BatonAnswer(holder: agent))
      case .hostTool(_, .phone): .friend(.answered("yes"))
      case .hostTool(let id, .client(let others)):
        .client(
          ClientAnswer(
            outputs: ([id] + others).map { ClientToolOutput(callID: $0, text: "yes") }
          )
        )
      case .hostTool(_, .mcp): .mcp(.returned("yes"))
      }
    return .reply(id: id, reply)
  }
}

extension FromWorker {
  /// Whether the worker waits for a reply to the message.
  var isRequest: Bool {
    if case .request = self { true } else { false }
  }

  var isAdmission: Bool {
    if case .request(_, _, .admission) = self { true } else { false }
  }

  /// The tool that the worker wants performed.
  var hostTool: HostTool? {
    if case .request(_, _, .hostTool(_, let tool)) = self { tool } else { nil }
  }

  /// The entries that the worker records.
  var recordedEntries: [Transcript.Entry] {
    if case .request(_, _, .record(let entries, _, _)) = self { entries.map(\.entry) } else { [] }
  }

  var isCalls: Bool {
    if case .toolCalls? = recordedEntries.last { true } else { false }
  }

  var isOutput: Bool {
    if case .toolOutput? = recordedEntries.last { true } else { false }
  }

  /// The text of the answer that the worker records.
  var answer: String? {
    if case .response(let response)? = recordedEntries.last {
      response.segments.joinedText
    } else {
      nil
    }
  }

  var isEnding: Bool {
    if case .ended = self { true } else { false }
  }
}
