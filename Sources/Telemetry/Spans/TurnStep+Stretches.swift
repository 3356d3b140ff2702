import Foundation
import Journal
import Transcripts

// The time during which one agent has the baton, and the ends of turns.

extension TurnStep {
  /// Notes that an agent did something; it has the baton from here on.
  mutating func hear(_ agent: String, _ fact: Fact) {
    if let stretch = turn.stretch, stretch.agent != agent || turn.receiver?.agent == agent {
      close(at: stretch.last, nil)
    }
    if turn.stretch == nil {
      let start = turn.beginner == nil ? turn.start : fact.at
      open(agent, at: start, number: fact.id)
    }
    guard var stretch = turn.stretch else { return }
    if let run = fact.run, run != stretch.run {
      if let loss = stretch.loss {
        let attributes = replacement(of: loss, by: run)
        stretch.events.add("orchestrator.worker.replaced", at: fact.at, attributes)
      }
      stretch.loss = nil
      stretch.run = run
    }
    stretch.last = max(stretch.last, fact.at)
    turn.stretch = stretch
  }

  mutating func open(_ agent: String, at start: Date, number: Int64) {
    turn.beginner = turn.beginner ?? agent
    turn.stretch = Stretch(
      id: SpanIdentity.span("agent", in: turn.trace, number),
      parent: turn.isFriend ? turn.parent : turn.root,
      agent: agent,
      start: turn.receiver == nil ? start : max(turn.lastEnd ?? start, turn.start),
      link: turn.receiver?.link,
      last: start
    )
    turn.receiver = nil
  }

  private func replacement(
    of loss: (pid: Int32?, cause: String),
    by run: String
  ) -> [Attribute] {
    var attributes: [Attribute] = []
    attributes.set("orchestrator.old_pid", loss.pid)
    attributes.set("orchestrator.new_pid", runs[run]?.pid)
    attributes.set("orchestrator.cause", loss.cause)
    return attributes
  }

  mutating func passed(_ pass: BatonPass, _ fact: Fact) {
    var link: SpanID?
    if let callID = pass.callID {
      if let agent = fact.agent { hear(agent, fact) }
      turn.withCall(callID) { call in
        call.receiver = pass.to
        link = call.id
      }
    } else {
      turn.events.add(
        "orchestrator.baton.substituted",
        at: fact.at,
        [
          Attribute("orchestrator.from", .string(pass.from)),
          Attribute("orchestrator.to", .string(pass.to)),
        ]
      )
    }
    if turn.beginner != nil { turn.receiver = (pass.to, link) }
  }

  /// Ends the stretch of the agent that has the baton.
  private mutating func close(at end: Date, _ failure: Span.Failure?) {
    guard var stretch = turn.stretch else { return }
    for call in stretch.calls {
      // It ended without an output, together with its turn.
      let failure = failure ?? Span.Failure(kind: "cancelled", reason: "It has no output.")
      spans.append(span(of: call, stretch, end: end, failure: failure))
    }
    stretch.calls = []
    let run = stretch.run.flatMap { runs[$0] }
    var span = turn.span(
      stretch.id,
      below: stretch.parent,
      "invoke_agent \(stretch.agent)",
      from: stretch.start,
      to: end
    )
    span.attributes.set("gen_ai.operation.name", "invoke_agent")
    span.attributes.set("gen_ai.agent.name", stretch.agent)
    span.attributes.set("gen_ai.provider.name", KnownRun.provider(of: run?.model))
    span.attributes.set("gen_ai.request.model", run?.model)
    span.attributes.set("process.pid", run?.pid)
    span.attributes.set("orchestrator.host", run?.host)
    span.attributes.set("orchestrator.run", stretch.run)
    span.attributes.set("orchestrator.role", turn.isFriend ? "friend" : "baton")
    if stretch.isCompacted { span.attributes.set("gen_ai.conversation.compacted", .bool(true)) }
    if let link = stretch.link { span.links = [link] }
    span.events = stretch.events
    span.failure = failure
    spans.append(span)
    turn.stretch = nil
    turn.lastEnd = end
  }

  mutating func end(_ exit: TurnExit, isReverted: Bool, at end: Date, number: Int64) {
    let holder = turn.receiver?.agent ?? turn.stretch?.agent
    let isLost = turn.stretch?.loss != nil
    let failure = exit.failure(lostWorker: isLost, includesReason: settings.includesContents)
    if let receiver = turn.receiver {
      // The baton was passed to an agent that never spoke.
      if let last = turn.stretch?.last { close(at: last, nil) }
      open(receiver.agent, at: end, number: number)
    }
    if case .cap(let name) = exit {
      let event = Span.Event(
        name: "orchestrator.cap",
        at: end,
        attributes: [Attribute("orchestrator.cap", .string(name.bounded(toBytes: 128)))]
      )
      if turn.isFriend { turn.stretch?.events.append(event) } else { turn.events.append(event) }
    }
    if turn.isFriend {
      turn.stretch?.events += turn.events
      close(at: end, failure)
      if let last = spans.indices.last {
        spans[last].attributes.set("orchestrator.exit", exit.word)
      }
      return
    }
    close(at: end, failure)
    let name = turn.beginner.map { "invoke_workflow \($0)" } ?? "invoke_workflow"
    var span = turn.span(turn.root, below: turn.parent, name, from: turn.start, to: end)
    span.attributes.set("gen_ai.operation.name", "invoke_workflow")
    span.attributes.set("gen_ai.workflow.name", turn.beginner)
    // Phoenix has no kind for workflows, and shows this one.
    span.attributes.set("openinference.span.kind", "CHAIN")
    span.attributes.set("orchestrator.exit", exit.word)
    span.attributes.set("orchestrator.holder", holder)
    span.attributes.set("orchestrator.turn", .int(Int(turn.id)))
    if isReverted { span.attributes.set("orchestrator.reverted", .bool(true)) }
    span.attributes += Self.attributes(ofCaps: turn.caps)
    span.events = turn.events
    span.failure = failure
    spans.append(span)
  }

  private static func attributes(ofCaps json: String) -> [Attribute] {
    guard let caps = try? GeneratedContent(json: json),
      case .structure(let properties, let names) = caps.kind
    else { return [] }
    return names.prefix(16).compactMap { name in
      guard case .number(let value)? = properties[name]?.kind, let value = Int(exactly: value)
      else { return nil }
      return Attribute("orchestrator.caps.\(name.bounded(toBytes: 64))", .int(value))
    }
  }
}
