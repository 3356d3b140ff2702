import AgentKit
import Wire

/// A turn as played by the script of a fake worker.
struct FakeTurn: Sendable {
  let worker: FakeWorker
  let order: TurnOrder

  var id: Int { order.turn }

  /// Asks for admission to send a request to the model.
  /// - Throws: `CapReached` if the request is refused.
  @discardableResult
  func admission(round: Int = 1) async throws -> RoundAdmission {
    worker.note(.admission)
    try worker.say(.admission(turn: id, round: round, mode: .allowed))
    let turn = id
    let reply = try await worker.hear(in: id) {
      if case .admitted(turn, _) = $0 { true } else { false }
    }
    guard case .admitted(_, let answer) = reply else { throw BadOrder() }
    switch answer {
    case .admitted(let admission): return admission
    case .refused(let cap): throw CapReached(cap: cap)
    }
  }

  /// Announces a request to the model that was admitted in advance.
  func takeAdmission() throws { try worker.say(.takesAdmission(turn: id)) }

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
    try worker.say(.entry(turn: id, entry, figures: Self.figures(tokens, window: window)))
    let (turn, entryID) = (id, entry.id)
    let reply = try await worker.hear(in: id) {
      if case .recorded(turn, entryID, _, _, _) = $0 { true } else { false }
    }
    guard case .recorded(_, _, let admitted, let repeated, _) = reply else { throw BadOrder() }
    worker.note(repeated: repeated)
    worker.keep(entry)
    return admitted
  }

  /// Sends an entry without waiting until it is journaled.
  func tell(_ entry: Transcript.Entry, tokens: Int? = nil) throws {
    try worker.say(.unawaitedEntry(turn: id, entry, figures: Self.figures(tokens)))
    worker.keep(entry)
  }

  /// Sends the output of a call while earlier calls are still running.
  func tellEarly(_ id: String, _ text: String) throws {
    try worker.say(.earlyOutput(turn: self.id, .output(id, "look", text)))
  }

  /// Waits until everything sent so far is journaled.
  func settle() async throws {
    worker.note(.settling)
    try worker.say(.settle(turn: id))
    let turn = id
    _ = try await worker.hear(in: id) { $0 == .settled(turn: turn) }
  }

  private static func figures(_ tokens: Int?, window: Int? = nil) -> RequestFigures? {
    tokens.map {
      RequestFigures(
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
    try worker.say(.admissionOfSummary(turn: id))
    let turn = id
    let reply = try await worker.hear(in: id) {
      if case .admitted(turn, _) = $0 { true } else { false }
    }
    guard case .admitted(_, .admitted(.go(let tokens))) = reply else { return nil }
    return tokens
  }

  /// Has the agent's session properties and history edits kept.
  func write(
    _ properties: [String: String] = [:],
    history: (([Transcript.Entry]) -> [Transcript.Entry])? = nil,
    context: ContextReport? = nil,
    figures: RequestFigures? = nil
  ) async throws {
    let entries = worker.entries
    let edited = history?(entries) ?? entries
    worker.note(.state)
    try worker.say(
      .state(
        turn: id,
        StateChange(
          properties: properties,
          history: HistoryEdit(from: entries, to: edited),
          context: context,
          figures: figures
        )
      )
    )
    let turn = id
    _ = try await worker.hear(in: id) { $0 == .stateKept(turn: turn) }
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
    try worker.say(.approval(turn: id, callID: callID))
    let turn = id
    let reply = try await worker.hear(in: id) {
      if case .approvalAnswered(turn, callID, _) = $0 { true } else { false }
    }
    guard case .approvalAnswered(_, _, let answer) = reply else { throw BadOrder() }
    return answer
  }

  /// Asks to pass the baton and returns its holder afterwards.
  func passBaton(to agent: String, callID: String) async throws -> String {
    worker.note(.baton(callID))
    try worker.say(.passBaton(turn: id, callID: callID, to: agent))
    let turn = id
    let reply = try await worker.hear(in: id) {
      if case .batonPassed(turn, callID, _, _) = $0 { true } else { false }
    }
    guard case .batonPassed(_, _, let holder, let refusal) = reply else { throw BadOrder() }
    worker.note(refusal: refusal)
    return holder
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
    try worker.say(.phone(turn: id, callID: callID, agent: agent, prompt: prompt))
    let turn = id
    let reply = try await worker.hear(in: id) {
      if case .friendAnswered(turn, callID, _) = $0 { true } else { false }
    }
    guard case .friendAnswered(_, _, let answer) = reply else { throw BadOrder() }
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
