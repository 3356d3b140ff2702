import Journal
import Transcripts
import Wire

/// A request to an MCP server, for a call that is journaled.
struct MCPCall: Sendable, Hashable {
  let pending: PendingRequest
  let callID: String
  let request: MCPRequest
  let window: Int?
}

extension MCPCall {
  /// The call as the journal has it; `nil` if no server was asked.
  /// - Parameter made: The request that was made last for it.
  fileprivate func fact(_ made: ServerCall.Request?) -> ServerCall? {
    guard case .call(let server, let tool, _) = request, let made else { return nil }
    return ServerCall(callID: callID, server: server, tool: tool, request: made)
  }

  /// Whether a person who is asked about the model's call is asked about this request.
  fileprivate func isSame(as call: Transcript.ToolCall) -> Bool {
    guard case .call(let server, let tool, let arguments) = request else { return true }
    return MCPToolName.name(server: server, tool: tool) == call.toolName
      && (try? GeneratedContent(json: arguments))?.canonicalJSON == call.arguments.canonicalJSON
  }
}

/// A form for which the server of a call waits.
struct FormCall: Sendable, Hashable {
  let call: MCPCall
  /// Tells it from others of the turn.
  let number: Int
}

// Calls to MCP servers. The call is on disk before it comes here. If the worker is lost before the
// output is, the next one asks again only where the tool is idempotent.

extension Turn {
  mutating func askServer(_ call: MCPCall) throws {
    try quota.count(entries: 1)
    try quota.count(bytes: call.request.bytes)
    guard state.round?.mayRun(call.callID) == true else { throw call.pending.stray(call.callID) }
    if case .call(let server, _, _) = call.request, !takes(from: server, call.pending.agent) {
      let problem = "The agent takes no tools of the server '\(server)'."
      return reply(to: call.pending, .mcp(.failed(problem)))
    }
    emit(.checkApproval(call))
  }

  /// Whether an agent has declared that it takes tools of a server.
  private func takes(from server: String, _ agent: String) -> Bool {
    let servers = team.slots[agent]?.agent.declaration?.servers ?? []
    return servers.contains { $0.server == server }
  }

  /// Goes on with a request once it is known whether a person must approve it.
  mutating func approvalChecked(_ call: MCPCall, needsApproval: Bool) {
    guard stopping == nil, call.pending.run == run else { return }
    guard needsApproval else { return askServer(call, isApproved: false) }
    guard let asked = state.round?.callThatMayRun(call.callID), call.isSame(as: asked) else {
      return askPerson(about: call)
    }
    waiting.servers[call.pending] = call
    do {
      try askPerson(about: call.callID, call.pending)
    } catch {
      waiting.servers[call.pending] = nil
      giveUp(on: call.pending.run, because: error)
    }
  }

  /// Asks a person about a request that the code of a tool makes: what the model has called, and
  /// what was decided about that, is something else.
  private mutating func askPerson(about call: MCPCall) {
    guard case .call(let server, let tool, let arguments) = call.request else {
      return reply(to: call.pending, .mcp(.failed("Reading needs no approval.")))
    }
    let question = ApprovalQuestion(
      callID: call.callID,
      tool: MCPToolName.name(server: server, tool: tool),
      arguments: arguments
    )
    write([.askedApproval(question)], by: call.pending, then: .requestQuestion(call))
  }

  /// Withdraws the questions about requests that are not wanted any more.
  mutating func withdrawRequests(where isOver: (MCPCall, Turn) -> Bool) {
    for question in waiting.requests.filter({ isOver($0.value, self) }).keys.sorted() {
      emit(.withdraw(question: question))
    }
  }

  mutating func requestQuestionWritten(_ fact: Fact, _ call: MCPCall) {
    waiting.requests[fact.id] = call
    questionWritten(fact)
  }

  private mutating func askServer(_ call: MCPCall, isApproved: Bool) {
    var traced: TracedCall?
    if let header = settings.traceparent, let place = state.round?.place(of: call.callID) {
      traced = TracedCall(turn: header, place: place)
    }
    emit(.askServer(call, isApproved: isApproved, traced))
  }

  /// Shows how far a call has come, while it is open.
  mutating func serverProgressed(_ call: MCPCall, _ progress: ToolProgress) {
    guard call.pending.run == run,
      let tool = state.round?.callThatMayRun(call.callID)?.toolName
    else { return }
    show(.toolProgress(id: call.callID, agent: call.pending.agent, tool: tool, progress))
  }

  /// Asks a person what the server of a call wants to know.
  mutating func serverAsked(_ form: FormCall, _ content: ApprovalForm) {
    guard stopping == nil, form.call.pending.run == run,
      let asked = state.round?.callThatMayRun(form.call.callID)
    else { return emit(.answerForm(form, .cancelled)) }
    let question = ApprovalQuestion(
      callID: asked.id,
      tool: asked.toolName,
      arguments: asked.arguments.jsonString,
      form: content
    )
    write([.askedApproval(question)], by: form.call.pending, then: .formQuestion(form))
  }

  mutating func formQuestionWritten(_ fact: Fact, _ form: FormCall) {
    waiting.forms[fact.id] = form
    questionWritten(fact)
  }

  mutating func serverAnswered(_ call: MCPCall, _ served: MCPReply) {
    for question in waiting.forms.filter({ $0.value.call == call }).keys.sorted() {
      emit(.withdraw(question: question))
    }
    // What was asked is recorded of a turn that is being stopped, too.
    guard call.pending.run == run, let fact = call.fact(served.request) else {
      return reply(to: call.pending, .mcp(served.answer))
    }
    write([.calledServer(fact)], by: call.pending, then: .serverReply(call.pending, served.answer))
  }

  /// Goes on with what waited for a decision about a call: the worker, or a request to a server.
  mutating func deliver(_ answer: Approval, to pending: PendingRequest) {
    guard let call = waiting.servers.removeValue(forKey: pending) else {
      return reply(to: pending, .approval(answer))
    }
    goOn(with: call, answer)
  }

  /// Goes on with a request about which a person has decided.
  mutating func goOn(with call: MCPCall, _ answer: Approval) {
    guard call.pending.run == run else { return }
    switch answer {
    case .approved where state.round?.mayRun(call.callID) != true:
      reply(to: call.pending, .mcp(.failed("The call is over.")))
    case .approved: askServer(call, isApproved: true)
    case .denied(let reason): reply(to: call.pending, .mcp(.denied(reason)))
    }
  }
}

extension MCPRequest {
  fileprivate var bytes: Int {
    switch self {
    case .call(let server, let tool, let arguments):
      server.utf8.count + tool.utf8.count + arguments.utf8.count
    case .read(let output, _): output.utf8.count
    }
  }
}
