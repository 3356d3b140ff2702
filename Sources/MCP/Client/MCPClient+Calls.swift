import Transcripts

/// A call of a tool, under the caller's number for it.
struct MCPToolCall: Sendable, Equatable {
  let number: Int
  let tool: String
  let arguments: GeneratedContent
  /// How often the server has asked for input.
  var rounds = 0
  /// How often the server has shown progress.
  var signs = 0
}

/// The calls that have no outcome yet.
struct OpenCalls: Sendable {
  /// By the number of the request.
  var sent: [Int: MCPToolCall] = [:]
  /// The calls that wait until earlier ones are done, where only one is made at a time.
  var waiting: [MCPToolCall] = []
}

extension MCPClient {
  /// How often a server may ask for input during one call.
  private static let maximumRounds = 10

  mutating func begin(_ call: MCPToolCall) {
    guard session != nil else { return }
    if settings.isSerial, !calls.sent.isEmpty { return calls.waiting.append(call) }
    send(call)
  }

  private mutating func send(_ call: MCPToolCall, _ more: [(String, GeneratedContent)] = []) {
    // The request's own number stands for it in notifications of progress.
    let token = GeneratedContent(number: JSONNumber(nextID))
    let id = request(
      "tools/call",
      [("name", .text(call.tool)), ("arguments", call.arguments)] + more,
      meta: [(MetaKey.progressToken, token)]
    )
    calls.sent[id] = call
    startTimer(of: id, signs: call.signs)
  }

  private mutating func startTimer(of id: Int, signs: Int) {
    emit(.start(.call(id: id, signs: signs), after: .seconds(settings.callTimeout)))
  }

  mutating func showProgress(of id: Int) {
    guard var call = calls.sent[id] else { return }
    call.signs += 1
    calls.sent[id] = call
  }

  mutating func callTimedOut(_ id: Int, signs: Int) {
    guard let call = calls.sent[id] else { return }
    // One timer a call, however many signs there are.
    guard call.signs == signs else { return startTimer(of: id, signs: call.signs) }
    cancelRequest(id, reason: "It took longer than \(settings.callTimeout) s.")
    finish(id, .timedOut(seconds: settings.callTimeout))
  }

  mutating func end(_ number: Int, reason: String) {
    calls.waiting.removeAll { $0.number == number }
    guard let id = calls.sent.first(where: { $0.value.number == number })?.key else { return }
    cancelRequest(id, reason: reason)
    calls.sent[id] = nil
    sendNext()
  }

  private mutating func cancelRequest(_ id: Int, reason: String) {
    notify(
      "notifications/cancelled",
      [("requestId", JSONRPCID(id).content), ("reason", .text(reason))]
    )
  }

  mutating func receiveCall(_ answer: Result<GeneratedContent, JSONRPCError>, for id: Int) {
    guard let call = calls.sent[id] else { return }
    switch answer {
    case .failure(let error): finish(id, .failed(error))
    case .success(let result):
      switch result["resultType"]?.text {
      case nil, "complete": finish(id, .returned(MCPCallResult(result)))
      case "input_required": answerInput(result, to: call, id)
      case let kind?: finish(id, .needsInput("a result of the kind '\(kind)'"))
      }
    }
  }

  /// Declines what a server asks a person for, so that it can go on without or give up.
  private mutating func answerInput(_ result: GeneratedContent, to call: MCPToolCall, _ id: Int) {
    let requests = result["inputRequests"]?.members ?? []
    if let other = requests.first(where: { $0.value["method"]?.text != "elicitation/create" }) {
      let method = other.value["method"]?.text ?? "?"
      return finish(id, .needsInput("an answer to '\(method)'"))
    }
    guard call.rounds < Self.maximumRounds else {
      return finish(id, .needsInput("input again and again"))
    }
    var next = call
    next.rounds += 1
    calls.sent[id] = nil
    let decline = GeneratedContent.object([("action", .text("decline"))])
    var more = [("inputResponses", GeneratedContent.object(requests.map { ($0.name, decline) }))]
    if let state = result["requestState"] { more.append(("requestState", state)) }
    send(next, more)
  }

  private mutating func finish(_ id: Int, _ outcome: MCPCallOutcome) {
    guard let call = calls.sent.removeValue(forKey: id) else { return }
    emit(.finished(call: call.number, outcome))
    sendNext()
  }

  private mutating func sendNext() {
    guard settings.isSerial, calls.sent.isEmpty, !calls.waiting.isEmpty else { return }
    send(calls.waiting.removeFirst())
  }
}
