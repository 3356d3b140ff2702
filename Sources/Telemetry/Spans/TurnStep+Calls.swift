import Foundation
import Journal
import Transcripts

// Calls of tools: their outputs, the agents that they phone or pass the baton to, approvals.

extension TurnStep {
  mutating func begin(_ calls: Transcript.ToolCalls, _ fact: Fact) {
    for (index, call) in calls.enumerated() {
      let arguments = settings.includesContents ? call.arguments.jsonString : nil
      let open = OpenCall(
        id: SpanIdentity.call(index, of: fact.id, in: turn.trace),
        callID: call.id,
        tool: call.toolName,
        start: fact.at,
        arguments: arguments?.bounded(toBytes: settings.valueBytes)
      )
      turn.stretch?.calls.append(open)
    }
  }

  mutating func returned(
    _ output: Transcript.ToolOutput,
    _ usage: RequestUsage?,
    _ fact: Fact
  ) {
    guard let index = turn.stretch?.calls.firstIndex(where: { $0.callID == output.id }),
      let call = turn.stretch?.calls.remove(at: index), let stretch = turn.stretch
    else { return }
    if let usage {
      // The sessions that the tool's own code ran.
      let request = Request(purpose: "own_sessions", parent: call.id, earliest: call.start)
      chat(usage, request, fact)
    }
    let result = settings.includesContents ? output.segments.joinedText : nil
    spans.append(
      span(
        of: call,
        stretch,
        end: usage == nil ? call.returned ?? fact.at : fact.at,
        result: result?.bounded(toBytes: settings.valueBytes)
      )
    )
  }

  func span(
    of call: OpenCall,
    _ stretch: Stretch,
    end: Date,
    result: String? = nil,
    failure: Span.Failure? = nil
  ) -> Span {
    let target = call.receiver ?? call.friends.first
    var span = turn.span(
      call.id,
      below: stretch.id,
      "execute_tool \(call.tool)" + (target.map { " \($0)" } ?? ""),
      from: call.start,
      to: end
    )
    span.attributes.set("gen_ai.operation.name", "execute_tool")
    span.attributes.set("gen_ai.tool.name", call.tool.bounded(toBytes: 256))
    span.attributes.set("gen_ai.tool.type", "function")
    span.attributes.set("gen_ai.tool.call.id", call.callID.bounded(toBytes: 256))
    span.attributes.set("gen_ai.agent.name", stretch.agent)
    if let server = call.server {
      span.kind = .client
      span.attributes.set("mcp.method.name", "tools/call")
      span.attributes.set("mcp.protocol.version", server.request?.version.bounded(toBytes: 64))
      span.attributes.set("jsonrpc.request.id", server.request.map { "\($0.id)" })
      span.attributes.set("orchestrator.mcp.server", server.server.bounded(toBytes: 256))
      span.attributes.set("orchestrator.mcp.tool", server.tool.bounded(toBytes: 256))
    }
    if let target {
      let mode = call.receiver == nil ? "return_to_caller" : "pass_control"
      // The conventions have these names as a proposal; ours stay should it be refused.
      for prefix in ["gen_ai", "orchestrator"] {
        span.attributes.set("\(prefix).transfer.mode", mode)
        span.attributes.set("\(prefix).transfer.target.name", target)
      }
    }
    span.attributes.set("gen_ai.tool.call.arguments", call.arguments)
    span.attributes.set("gen_ai.tool.call.result", result)
    span.events = call.events
    span.failure = failure
    return span
  }

  mutating func answered(
    _ question: Int64,
    _ decision: ApprovalDecision,
    _ fact: Fact
  ) {
    guard let stretch = turn.stretch,
      let index = stretch.calls.firstIndex(where: { $0.questions[question] != nil }),
      let asked = turn.stretch?.calls[index].questions.removeValue(forKey: question)
    else { return }
    let call = stretch.calls[index]
    let word = decision.denial == nil ? "approved" : "denied"
    var span = turn.span(
      SpanIdentity.span("approval", in: turn.trace, question),
      below: call.id,
      "orchestrator.approval",
      from: asked,
      to: fact.at
    )
    span.attributes.set("gen_ai.tool.name", call.tool.bounded(toBytes: 256))
    span.attributes.set("orchestrator.approval.decision", word)
    span.attributes.set("orchestrator.approval.by", decision.by.rawValue)
    spans.append(span)
    turn.stretch?.calls[index].events.add(
      "orchestrator.approval.answered",
      at: fact.at,
      [Attribute("orchestrator.approval.decision", .string(word))]
    )
  }

  mutating func died(_ death: WorkerDeath, _ fact: Fact) {
    let pid = fact.run.flatMap { runs[$0]?.pid }
    var attributes: [Attribute] = []
    attributes.set("process.pid", pid)
    let cause = death.cause.bounded(toBytes: 512)
    attributes.set("orchestrator.cause", cause)
    attributes.set("orchestrator.tokens_lost", death.tokensLost)
    turn.stretch?.loss = (pid, cause)
    turn.stretch?.events.add("orchestrator.worker.died", at: fact.at, attributes)
  }
}
