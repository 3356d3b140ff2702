import AgentKit
import Wire

/// A turn as played by the script of a fake worker.
struct FakeTurn: Sendable {
  let worker: FakeWorker
  let order: TurnOrder

  var id: Int { order.turn }

  /// Makes a request and waits for its reply.
  func ask(_ request: WorkerRequest) async throws -> WorkerReply {
    let number = worker.nextRequest()
    try worker.say(.request(id: number, turn: id, request))
    let reply = try await worker.hear(in: id) {
      if case .reply(number, _) = $0 { true } else { false }
    }
    guard case .reply(_, let answer) = reply else { throw BadOrder() }
    return answer
  }

  /// Makes a request without waiting for its reply.
  func tell(_ request: WorkerRequest) throws {
    try worker.say(.request(id: worker.nextRequest(), turn: id, request))
  }

  /// Asks for admission to send a request to the model.
  /// - Throws: `CapReached` if the request is refused.
  @discardableResult
  func admission(round: Int = 1) async throws -> RoundAdmission {
    worker.note(.admission)
    guard case .admission(let answer) = try await ask(.admission(.round)) else { throw BadOrder() }
    switch answer {
    case .admitted(let admission): return admission
    case .refused(let cap): throw CapReached(cap: cap)
    }
  }

  /// Streams text that continues the current entry after its first `bytes` bytes.
  func say(_ text: String, after bytes: Int) throws {
    let change = TextChange(entryID: "x", isReasoning: false, keptBytes: bytes, added: text)
    try worker.say(.text(turn: id, change))
  }

  /// Streams `count` changes of the current entry.
  func stream(_ count: Int) throws {
    for place in 0..<count { try say("x", after: place) }
  }

  /// Has an entry journaled and returns how many of its calls may be made.
  @discardableResult
  func record(
    _ entry: Transcript.Entry,
    tokens: Int? = nil,
    window: Int? = nil
  ) async throws -> Int {
    worker.note(.recording(entry.id))
    let usage = Self.usage(tokens, window: window)
    let reply = try await ask(.record([RawEntry(entry)], usage))
    guard case .recorded(let calls, _) = reply else { throw BadOrder() }
    worker.note(repeated: calls.repeated)
    worker.keep(entry)
    return calls.count
  }

  /// Has the output of a call journaled, and asks with it for the admission of the next round.
  func recordThenRound(_ output: Transcript.Entry) async throws -> AdmissionAnswer? {
    let reply = try await ask(.record([RawEntry(output)], nil, then: .round))
    guard case .recorded(_, let admission) = reply else { throw BadOrder() }
    worker.keep(output)
    return admission
  }

  /// Gives back the admission that came with a record.
  func returnAdmission() throws { try worker.say(.unusedAdmission(turn: id)) }

  /// Sends an entry without waiting until it is journaled.
  func tell(_ entry: Transcript.Entry, tokens: Int? = nil) throws {
    try tell(.record([RawEntry(entry)], Self.usage(tokens)))
    worker.keep(entry)
  }

  /// Sends the output of a call while earlier calls are still running.
  func tellEarly(_ id: String, _ text: String) async throws {
    _ = try await ask(.recordEarly(RawEntry(.output(id, "look", text))))
  }

  private static func usage(_ tokens: Int?, window: Int? = nil) -> RequestUsage? {
    tokens.map {
      RequestUsage(
        tokensIn: 2,
        tokensCached: 1,
        tokensOut: $0,
        seconds: 0.5,
        contextSize: window
      )
    }
  }

  /// Asks for admission of a summary and returns how many tokens it may use.
  func admissionOfSummary() async throws -> Int? {
    worker.note(.admission)
    guard case .admission(.admitted(.go(let tokens))) = try await ask(.admission(.summary)) else {
      return nil
    }
    return tokens
  }

  /// Has the agent's session properties and history edits kept.
  func write(
    _ properties: [String: String] = [:],
    history: (([Transcript.Entry]) -> [Transcript.Entry])? = nil,
    context: ContextReport? = nil,
    usage: RequestUsage? = nil
  ) async throws {
    let entries = worker.entries
    let edited = history?(entries) ?? entries
    worker.note(.state)
    _ = try await ask(
      .recordState(
        StateChange(
          properties: properties,
          history: HistoryEdit(from: entries, to: edited),
          context: context,
          usage: usage
        )
      )
    )
    worker.keep(history: edited)
  }

  /// Makes one request that answers, once all calls have outputs.
  func answer(_ text: String, tokens: Int = 3) async throws -> TurnEnding {
    try await finishCalls()
    try await admission()
    try await record(.response(text), tokens: tokens)
    return .answered
  }

  /// Has an output journaled for each call that has none, as an honest worker does before it makes
  /// another request.
  func finishCalls() async throws {
    for call in worker.unfinishedCalls {
      try await record(.output(call.id, call.toolName, "nothing"))
    }
  }

  /// Asks a person to approve a call.
  func approval(of callID: String) async throws -> Approval {
    worker.note(.approval(callID))
    guard case .approval(let answer) = try await ask(.hostTool(callID: callID, .approval)) else {
      throw BadOrder()
    }
    return answer
  }

  /// Asks an MCP server.
  func askServer(_ request: MCPRequest, callID: String) async throws -> MCPAnswer {
    let reply = try await ask(.hostTool(callID: callID, .mcp(request, window: 4096)))
    guard case .mcp(let answer) = reply else { throw BadOrder() }
    return answer
  }

  /// Asks to pass the baton and returns its holder afterwards.
  func passBaton(to agent: String, callID: String) async throws -> String {
    worker.note(.baton(callID))
    let reply = try await ask(.hostTool(callID: callID, .passBaton(to: agent)))
    guard case .baton(let answer) = reply else { throw BadOrder() }
    worker.note(refusal: answer.refusal)
    return answer.holder
  }

  /// Makes one request that passes the baton.
  func pass(to agent: String, callID: String) async throws -> TurnEnding {
    try await admission()
    try await record(.call(callID, "pass_baton"), tokens: 2)
    let holder = try await passBaton(to: agent, callID: callID)
    try await record(.output(callID, "pass_baton", "The baton is now with \(holder)."))
    return holder == agent ? .passed : try await answer("I keep it.")
  }

  /// Phones a friend.
  func phone(_ agent: String, _ prompt: String, callID: String) async throws -> FriendAnswer {
    worker.note(.friend(callID))
    let reply = try await ask(.hostTool(callID: callID, .phone(agent: agent, prompt: prompt)))
    guard case .friend(let answer) = reply else { throw BadOrder() }
    return answer
  }

  /// Phones a friend with the same question several times and returns all answers.
  func phone(
    _ agent: String,
    _ prompt: String,
    callID: String,
    times: Int
  ) async throws -> String {
    var answers: [String] = []
    for _ in 0..<times {
      let answer = try await phone(agent, prompt, callID: callID)
      answers.append(answer.text ?? "\(answer.exit)")
    }
    return answers.joined(separator: " ")
  }

  /// Makes two requests: the first phones a friend, the second answers with its reply.
  func answerWithFriend(_ agent: String, _ prompt: String) async throws -> TurnEnding {
    try await admission()
    try await record(.call("call-\(id)", "ask"), tokens: 2)
    let answer = try await phone(agent, prompt, callID: "call-\(id)")
    let text = answer.text ?? "\(answer.exit)"
    try await record(.output("call-\(id)", "ask", text))
    return try await self.answer(text)
  }
}

/// Thrown when the coordinator refuses a request.
struct CapReached: Error {
  let cap: String
}

extension Transcript.Entry {
  static func prompt(_ text: String) -> Self {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func response(_ text: String, cutBy cut: String? = nil) -> Self {
    let metadata = cut.map { [Transcript.Response.cutKey: $0] } ?? [:]
    return .response(.init(metadata: metadata, segments: [.text(.init(content: text))]))
  }

  static func call(_ id: String, _ tool: String) -> Self { calls([id], tool) }

  static func calls(_ ids: [String], _ tool: String) -> Self {
    .toolCalls(
      .init(
        ids.map { .init(id: $0, toolName: tool, arguments: GeneratedContent(properties: [:])) }
      )
    )
  }

  static func output(_ id: String, _ tool: String, _ text: String) -> Self {
    .toolOutput(.init(id: id, toolName: tool, segments: [.text(.init(content: text))]))
  }

  /// The content of an entry as text, for comparison.
  var words: String {
    switch self {
    case .prompt(let prompt): "prompt: \(prompt.segments.joinedText)"
    case .response(let response): "response: \(response.segments.joinedText)"
    case .toolOutput(let output): "output: \(output.segments.joinedText)"
    case .toolCalls(let calls): "calls: \(calls.map(\.toolName).joined(separator: ","))"
    case .instructions: "instructions"
    case .reasoning: "reasoning"
    }
  }
}

extension RawEntry {
  var words: String { entry.words }
}

extension TurnOrder {
  /// The entries that it adds.
  var entries: [Transcript.Entry] { added.map(\.entry) }
}
