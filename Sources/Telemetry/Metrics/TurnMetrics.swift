import Journal
import Transcripts

/// Counts what facts and their spans say since the coordinator started.
///
/// Facts are read when the metrics are asked for, and not before.
package actor TurnMetrics {
  private let open: SpanExporter.Opening
  private var feed: FactFeed?
  private var table = MetricTable()
  private var isReading = false
  private var wasOpened = false
  /// The roles of the workers that live.
  private var roles: [String: RunRecord.Role] = [:]

  /// - Parameter feed: Opens the feed of all facts since the coordinator started.
  package init(_ feed: @escaping SpanExporter.Opening) { open = feed }

  /// Reads the new facts.
  /// - Parameter patience: After which what has been read is returned; the rest comes next time.
  package func values(within patience: Duration) async throws -> MetricTable {
    let deadline = ContinuousClock.now + patience
    // A second caller that comes while facts are read reads none of them again.
    guard !isReading else { return table }
    isReading = true
    defer { isReading = false }
    do {
      while ContinuousClock.now < deadline, try await readOn() {}
    } catch  where !Task.isCancelled {
      // What cannot be read is left out of the numbers, and 'sessions verify' tells of it.
      feed = nil
    }
    return table
  }

  /// Counts what has been journaled so far, before some of it is removed.
  package func catchUp(within patience: Duration) async {
    let deadline = ContinuousClock.now + patience
    while isReading, ContinuousClock.now < deadline {
      guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { return }
    }
    _ = try? await values(within: ContinuousClock.now.duration(to: deadline))
  }

  /// Counts the next facts.
  /// - Returns: Whether there were any.
  private func readOn() async throws -> Bool {
    var next: FactFeed
    if let feed { next = feed } else { next = try await open(wasOpened) }
    wasOpened = true
    let (facts, spans) = try await next.next()
    feed = next
    for fact in facts { count(fact) }
    for span in spans { table.count(span) }
    return !facts.isEmpty
  }

  private func count(_ fact: Fact) {
    switch fact.event {
    case .answeredApproval(_, let decision):
      let word = decision.denial == nil ? "approved" : "denied"
      table.add(
        to: .approvals,
        [MetricTable.Label("decision", word), MetricTable.Label("by", decision.by.rawValue)]
      )
    case .launched(let start):
      if let run = fact.run { roles[run] = start.role }
    case .exited(let end):
      let role = fact.run.flatMap { roles.removeValue(forKey: $0) } ?? .baton
      guard let cause = end.cause else { return }
      table.add(
        to: .workerDeaths,
        [MetricTable.Label("role", role.rawValue), MetricTable.Label("cause", cause)]
      )
    default: break
    }
  }
}

extension MetricTable {
  package mutating func count(_ span: Span) {
    let operation = span["gen_ai.operation.name"]?.string
    switch operation {
    case "chat": count(request: span)
    case "execute_tool":
      let tool = span["gen_ai.tool.name"]?.string ?? ""
      observe(span.seconds, in: .toolDuration, [Label("gen_ai_tool_name", tool)])
    case "invoke_agent":
      let agent = span["gen_ai.agent.name"]?.string ?? ""
      observe(span.seconds, in: .agentDuration, [Label("gen_ai_agent_name", agent)])
    case "invoke_workflow":
      let agent = span["gen_ai.workflow.name"]?.string ?? ""
      observe(span.seconds, in: .workflowDuration, [Label("gen_ai_workflow_name", agent)])
    default: break
    }
    guard let exit = span["orchestrator.exit"]?.string else { return }
    let agent = span["orchestrator.holder"] ?? span["gen_ai.agent.name"]
    add(to: .turns, [Label("agent", agent?.string ?? ""), Label("exit", exit)])
    for event in span.events where event.name == "orchestrator.cap" {
      add(to: .capsBitten, [Label("cap", event.attributes.first?.value.string ?? "")])
    }
  }

  private mutating func count(request span: Span) {
    let labels = [
      Label("gen_ai_operation_name", "chat"),
      Label("gen_ai_provider_name", span["gen_ai.provider.name"]?.string ?? ""),
      Label("gen_ai_request_model", span["gen_ai.request.model"]?.string ?? ""),
    ]
    let input = span["gen_ai.usage.input_tokens"]?.int ?? 0
    let output = span["gen_ai.usage.output_tokens"]?.int ?? 0
    let cached = span["gen_ai.usage.cache_read.input_tokens"]?.int ?? 0
    let text = labels + [Label("gen_ai_token_modality", "text")]
    add(Double(input), to: .inputTokens, text)
    add(Double(output), to: .outputTokens, text)
    add(Double(cached), to: .cachedTokens, text)
    let usages = [("input", input), ("output", output)]
    for (type, count) in usages {
      observe(Double(count), in: .tokenUsage, labels + [Label("gen_ai_token_type", type)])
    }
    add(Double(cached), to: .prefillTokens, [Label("kind", "cached")])
    add(Double(max(0, input - cached)), to: .prefillTokens, [Label("kind", "computed")])
    if let cause = span["orchestrator.cache.break"]?.string {
      add(to: .cacheBreaks, [Label("reason", Self.reason(ofBreak: cause))])
    }
    // What an agent's own sessions took is not measured.
    guard let first = span["gen_ai.response.time_to_first_chunk"]?.double,
      let decode = span["orchestrator.decode.seconds"]?.double
    else { return }
    for metric in [Metric.inferenceDuration, .operationDuration] {
      observe(first + decode, in: metric, labels)
    }
    for metric in [Metric.timeToFirstChunk, .timeToFirstToken] {
      observe(first, in: metric, labels)
    }
    guard output > 1 else { return }
    for metric in [Metric.timePerOutputChunk, .timePerOutputToken] {
      observe(decode / Double(output - 1), in: metric, labels)
    }
  }

  /// The kind of a cache break, whose sentence has numbers in it and comes from a worker.
  private static func reason(ofBreak cause: String) -> String {
    switch cause {
    case "another prompt": "other_prompt"
    case "the instructions changed": "instructions"
    case "the tools changed": "tools"
    case "the chat template writes an earlier entry differently": "template"
    case _ where cause.hasSuffix(" entries at the end are gone"): "shortened"
    case _ where cause.hasSuffix(" were left out"): "left_out"
    case _ where cause.hasPrefix("entry ") && cause.hasSuffix(" changed"): "history"
    default: other
    }
  }
}
