import Journal
import Transcripts
import Wire

/// A request to an MCP server, for a call that is journaled.
struct MCPCall: Sendable, Hashable {
  let call: WorkerCall
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
    guard state.round?.mayRun(call.callID) == true else { throw UnknownCall(id: call.callID) }
    emit(.examine(call))
  }

  /// Goes on with a request once it is known whether a person must approve it.
  mutating func examined(_ call: MCPCall, needsApproval: Bool) {
    guard stopping == nil, call.call.run == run else { return }
    guard needsApproval else { return emit(.askServer(call, isApproved: false)) }
    waiting.servers[call.call] = call
    do {
      try askPerson(about: call.callID, call.call)
    } catch {
      waiting.servers[call.call] = nil
      giveUp(on: call.call.run, because: error)
    }
  }

  /// Asks a person what the server of a call wants to know.
  mutating func serverAsked(_ form: FormCall, _ content: ApprovalForm) {
    guard stopping == nil, form.call.call.run == run,
      let asked = state.round?.callThatMayRun(form.call.callID)
    else { return emit(.answerForm(form, .cancelled)) }
    let question = ApprovalQuestion(
      callID: asked.id,
      tool: asked.toolName,
      arguments: asked.arguments.jsonString,
      form: content
    )
    write(.askedApproval(question), by: form.call.call, then: .formQuestion(form))
  }

  mutating func formAsked(_ fact: Fact, _ form: FormCall) {
    waiting.forms[fact.id] = form
    asked(fact, form.call.call)
  }

  mutating func serverAnswered(_ call: MCPCall, _ served: MCPReply) {
    for question in waiting.forms.filter({ $0.value.call == call }).keys.sorted() {
      emit(.withdraw(question: question))
    }
    // What was asked is recorded of a turn that is being stopped, too.
    guard call.call.run == run, let fact = call.fact(served.request) else {
      return reply(to: call.call, .mcp(served.answer))
    }
    write(.calledServer(fact), by: call.call, then: .serverReply(call.call, served.answer))
  }

  /// Goes on with what waited for a decision about a call: the worker, or a request to a server.
  mutating func deliver(_ answer: Approval, to call: WorkerCall) {
    guard let request = waiting.servers.removeValue(forKey: call) else {
      return reply(to: call, .approval(answer))
    }
    switch answer {
    case .approved: emit(.askServer(request, isApproved: true))
    case .denied(let reason): reply(to: call, .mcp(.denied(reason)))
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
