import Transcripts

/// A call of a tool, under the caller's number for it.
struct MCPToolCall: Sendable, Equatable {
  let number: Int
  let tool: String
  let arguments: GeneratedContent
  let traceparent: String?
  /// How often the server has asked for input.
  var rounds = 0
  /// How often the server has shown progress.
  var signs = 0
  /// How often the call was given more time because of it.
  var extensions = 0
}

/// The calls that have no outcome yet.
struct OpenCalls: Sendable {
  /// By the number of the request.
  var sent: [Int: MCPToolCall] = [:]
  /// The calls that wait until earlier ones are done, where only one is made at a time.
  var waiting: [MCPToolCall] = []
}

extension MCPClient {
  /// How often a call is given more time at most.
  static let maximumExtensions = 10

  mutating func begin(_ call: MCPToolCall) {
    guard session != nil else { return }
    if settings.isSerial, isCalling { return calls.waiting.append(call) }
    send(call)
  }

  /// Whether a call is under way; one that waits for a person is.
  private var isCalling: Bool { !calls.sent.isEmpty || !forms.interrupted.isEmpty }

  mutating func send(_ call: MCPToolCall, _ more: [(String, GeneratedContent)] = []) {
    // The request's own number stands for it in notifications of progress.
    var meta = [(MetaKey.progressToken, GeneratedContent(number: JSONNumber(nextID)))]
    if let span = call.traceparent { meta.append((MetaKey.traceparent, .text(span))) }
    let id = request(
      "tools/call",
      [("name", .text(call.tool)), ("arguments", call.arguments)] + more,
      meta: meta
    )
    calls.sent[id] = call
    startTimer(of: id, signs: call.signs)
  }

  private mutating func startTimer(of id: Int, signs: Int) {
    emit(.start(.call(id: id, signs: signs), after: .seconds(settings.callTimeout)))
  }

  mutating func showProgress(_ parameters: GeneratedContent?) {
    guard let id = parameters?[MetaKey.progressToken]?.integer, var call = calls.sent[id] else {
      return
    }
    call.signs += 1
    calls.sent[id] = call
    if let progress = ToolProgress(parameters) { emit(.progressed(call: call.number, progress)) }
  }

  mutating func callTimedOut(_ id: Int, signs: Int) {
    guard var call = calls.sent[id] else { return }
    // One timer a call, however many signs there are. A person takes more time than a server, and a
    // bounded one.
    let waitsForPerson = forms.concern(call.number)
    if waitsForPerson || (call.signs > signs && call.extensions < Self.maximumExtensions) {
      if !waitsForPerson { call.extensions += 1 }
      calls.sent[id] = call
      return startTimer(of: id, signs: call.signs)
    }
    let seconds = settings.callTimeout * (1 + call.extensions)
    cancelRequest(id, reason: "It took longer than \(seconds) s.")
    finish(id, .timedOut(seconds: seconds))
  }

  /// The request that is under way for a call; `nil` for none.
  package func request(of number: Int) -> Int? {
    calls.sent.first { $0.value.number == number }?.key
  }

  mutating func end(_ number: Int, reason: String) {
    calls.waiting.removeAll { $0.number == number }
    dropForms(of: number)
    defer { sendNext() }
    guard let id = request(of: number) else { return }
    cancelRequest(id, reason: reason)
    calls.sent[id] = nil
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

  mutating func finish(_ id: Int, _ outcome: MCPCallOutcome) {
    guard let call = calls.sent.removeValue(forKey: id) else { return }
    dropForms(of: call.number)
    emit(.finished(call: call.number, request: id, outcome))
    sendNext()
  }

  private mutating func sendNext() {
    guard settings.isSerial, !isCalling, !calls.waiting.isEmpty else { return }
    send(calls.waiting.removeFirst())
  }
}

extension ToolProgress {
  /// The most bytes of what a server says about it.
  private static let maximumMessage = 400

  /// Reads a notification; `nil` if it does not say how far the call has come.
  init?(_ parameters: GeneratedContent?) {
    guard let done = parameters?["progress"]?.double else { return nil }
    let message = parameters?["message"]?.text?.beginning(bytes: Self.maximumMessage)
    self.init(done: done, total: parameters?["total"]?.double, message: message)
  }
}
