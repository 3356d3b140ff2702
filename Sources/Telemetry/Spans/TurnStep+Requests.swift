import Foundation
import Journal
import Transcripts

// Requests to models, and what agents write to their sessions.

extension TurnStep {
  mutating func recorded(
    _ entry: Transcript.Entry,
    _ usage: RequestUsage?,
    _ fact: Fact
  ) {
    switch entry {
    case .reasoning(let reasoning): turn.messages.add(reasoning: reasoning)
    case .toolCalls(let calls):
      let input = turn.messages.json
      turn.messages.add(calls: calls)
      let output = turn.messages.finish("tool_call")
      let request = Request(finish: "tool_call", input: input, output: output)
      if let usage { chat(usage, request, fact) }
      begin(calls, fact)
    case .response(let response):
      // Without usage it is text beside calls, which follow.
      let input = turn.messages.json
      turn.messages.add(response: response)
      guard let usage else { return }
      let finish = response.cut == nil ? "stop" : "length"
      let output = turn.messages.finish(finish)
      let request = Request(finish: finish, input: input, output: output)
      chat(usage, request, fact)
    case .toolOutput(let output):
      turn.messages.add(output: output)
      returned(output, usage, fact)
    case .instructions, .prompt: break
    }
  }

  /// What is known of a request beside its usage.
  struct Request {
    var finish: String?
    var input: String?
    var output: String?
    /// What it was for, if not for a round of the turn.
    var purpose: String?
    /// The span below which it was made; `nil` for the agent's own.
    var parent: SpanID?
    /// When it may have begun, if its duration was not measured.
    var earliest: Date?
  }

  /// Adds the span of a request to a model.
  ///
  /// The worker measures it from its admission on. Tokens are on these spans alone: receivers add
  /// them up.
  mutating func chat(
    _ usage: RequestUsage,
    _ request: Request,
    _ fact: Fact
  ) {
    // Nothing was asked for an answer that a tool gave.
    guard let stretch = turn.stretch, usage.tokensIn > 0 || usage.tokensOut > 0 else { return }
    let model = stretch.run.flatMap { runs[$0]?.model }
    let start = request.earliest ?? fact.at.addingTimeInterval(-usage.seconds)
    let provider = KnownRun.provider(of: model)
    var span = turn.span(
      SpanIdentity.span("chat", in: turn.trace, fact.id),
      below: request.parent ?? stretch.id,
      model.map { "chat \($0)" } ?? "chat",
      from: max(start, stretch.start),
      to: fact.at
    )
    if provider != KnownRun.local { span.kind = .client }
    span.attributes.set("gen_ai.operation.name", "chat")
    span.attributes.set("gen_ai.provider.name", provider)
    span.attributes.set("gen_ai.request.model", model)
    span.attributes.set("gen_ai.response.model", model)
    span.attributes.set("gen_ai.agent.name", stretch.agent)
    span.attributes += turn.requested
    span.attributes.set("gen_ai.output.type", "text")
    span.attributes.set("gen_ai.request.stream", .bool(true))
    span.attributes.set("gen_ai.response.id", String(fact.id))
    if let finish = request.finish {
      span.attributes.set("gen_ai.response.finish_reasons", .strings([finish]))
    }
    span.attributes.set("orchestrator.purpose", request.purpose)
    span.attributes += Self.attributes(of: usage)
    if provider == KnownRun.local {
      // What was computed is in the cache now; the conventions are renaming this.
      let computed = Attribute.Value.int(max(0, usage.tokensIn - usage.tokensCached))
      span.attributes.set("gen_ai.usage.cache_creation.input_tokens", computed)
      span.attributes.set("gen_ai.usage.cache_write.input_tokens", computed)
    }
    span.attributes.set("gen_ai.input.messages", request.input)
    span.attributes.set("gen_ai.output.messages", request.output)
    spans.append(span)
  }

  private static func attributes(of usage: RequestUsage) -> [Attribute] {
    let computed = max(0, usage.tokensIn - usage.tokensCached)
    var attributes = [
      Attribute("gen_ai.usage.input_tokens", .int(usage.tokensIn)),
      Attribute("gen_ai.usage.output_tokens", .int(usage.tokensOut)),
      Attribute("gen_ai.usage.cache_read.input_tokens", .int(usage.tokensCached)),
      Attribute("orchestrator.prefill.tokens", .int(computed)),
    ]
    if usage.seconds > 0 {
      let waited = min(usage.secondsWaited ?? 0, usage.seconds)
      let first = min(usage.secondsToFirstToken, usage.seconds - waited)
      attributes += [
        Attribute("gen_ai.response.time_to_first_chunk", .double(waited + first)),
        Attribute("orchestrator.prefill.seconds", .double(first)),
        Attribute("orchestrator.decode.seconds", .double(usage.seconds - waited - first)),
      ]
      if waited > 0 {
        attributes.append(Attribute("orchestrator.core_wait.seconds", .double(waited)))
      }
    }
    if let cacheBreak = usage.cacheBreak {
      // Without the text around it, which is part of the conversation.
      let cause = cacheBreak.cause.bounded(toBytes: 256)
      attributes += [
        Attribute("orchestrator.cache.break", .string(cause)),
        Attribute("orchestrator.cache.lost_tokens", .int(cacheBreak.lost)),
      ]
    }
    return attributes
  }

  mutating func changed(
    _ change: StateChange,
    _ fact: Fact
  ) {
    if let context = change.context {
      turn.stretch?.isCompacted = true
      turn.stretch?.events.add(
        "orchestrator.context.compacted",
        at: fact.at,
        [
          Attribute("orchestrator.tokens_before", .int(context.tokensBefore)),
          Attribute("orchestrator.tokens_after", .int(context.tokensAfter)),
          Attribute("orchestrator.summarized", .bool(context.isSummarized)),
        ]
      )
    }
    guard let usage = change.usage else { return }
    // A summary is timed; sessions of the agent's own code are not.
    let purpose = change.context == nil ? "own_sessions" : "summary"
    chat(usage, Request(purpose: purpose), fact)
  }
}
