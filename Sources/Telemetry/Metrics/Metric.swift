import Journal

/// A metric, by the name under which Prometheus knows it.
package enum Metric: String, Sendable, CaseIterable {
  // The names of the GenAI conventions; where they were renamed, both, for older dashboards.
  case inferenceDuration = "gen_ai_client_inference_duration_seconds"
  case operationDuration = "gen_ai_client_operation_duration_seconds"
  case timeToFirstChunk = "gen_ai_client_inference_time_to_first_chunk_seconds"
  case timeToFirstToken = "gen_ai_server_time_to_first_token_seconds"
  case timePerOutputChunk = "gen_ai_client_inference_time_per_output_chunk_seconds"
  case timePerOutputToken = "gen_ai_server_time_per_output_token_seconds"
  case inputTokens = "gen_ai_client_inference_usage_input_tokens_total"
  case outputTokens = "gen_ai_client_inference_usage_output_tokens_total"
  case cachedTokens = "gen_ai_client_inference_usage_cache_read_input_tokens_total"
  case tokenUsage = "gen_ai_client_token_usage"
  case agentDuration = "gen_ai_invoke_agent_duration_seconds"
  case toolDuration = "gen_ai_execute_tool_duration_seconds"
  case workflowDuration = "gen_ai_workflow_duration_seconds"
  // Ours.
  case turns = "orchestrator_turns_total"
  case capsBitten = "orchestrator_caps_bitten_total"
  case workerDeaths = "orchestrator_worker_deaths_total"
  case prefillTokens = "orchestrator_prefill_tokens_total"
  case cacheBreaks = "orchestrator_cache_breaks_total"
  case approvals = "orchestrator_approvals_total"
  case workers = "orchestrator_workers"
  case workerMemory = "orchestrator_worker_memory_bytes"
  case queueWaiting = "orchestrator_queue_waiting"
  case approvalsWaiting = "orchestrator_approvals_waiting"
  case cores = "orchestrator_cores"
  case journalCommits = "orchestrator_journal_commit_seconds"
  case telemetryDropped = "orchestrator_telemetry_dropped_total"
  case buildInfo = "orchestrator_build_info"
  // The process, as Prometheus's own libraries name it.
  case processStart = "process_start_time_seconds"
  case processCPU = "process_cpu_seconds_total"
  case processResident = "process_resident_memory_bytes"
  case processVirtual = "process_virtual_memory_bytes"
  case processOpenFiles = "process_open_fds"
  case processMaxFiles = "process_max_fds"

  var name: String { rawValue }

  enum Kind: Equatable {
    case counter, gauge
    case histogram([Double])

    var word: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  /// The conventions' buckets for durations, in seconds.
  private static let durations: [Double] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
  ]
  private static let chunkDurations: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
  ]
  private static let tokenCounts: [Double] = (0...10).map { Double(1 << (2 * $0)) }

  var kind: Kind {
    switch self {
    case .inferenceDuration, .operationDuration, .timeToFirstChunk, .timeToFirstToken,
      .agentDuration, .toolDuration, .workflowDuration:
      .histogram(Self.durations)
    case .timePerOutputChunk, .timePerOutputToken: .histogram(Self.chunkDurations)
    case .tokenUsage: .histogram(Self.tokenCounts)
    case .journalCommits: .histogram(CommitTimes.bounds)
    case .inputTokens, .outputTokens, .cachedTokens, .turns, .capsBitten, .workerDeaths,
      .prefillTokens, .cacheBreaks, .approvals, .telemetryDropped, .processCPU:
      .counter
    case .workers, .workerMemory, .queueWaiting, .approvalsWaiting, .cores, .buildInfo,
      .processStart, .processResident, .processVirtual, .processOpenFiles, .processMaxFiles:
      .gauge
    }
  }

  var help: String {
    switch self {
    case .inferenceDuration: "How long requests to models took."
    case .operationDuration: "How long requests to models took (older name)."
    case .timeToFirstChunk: "The time from the start of a request to its first token."
    case .timeToFirstToken: "The time from the start of a request to its first token (older name)."
    case .timePerOutputChunk: "The time for each token after the first of a request."
    case .timePerOutputToken: "The time for each token after the first of a request (older name)."
    case .inputTokens: "Tokens that models read, cached ones included."
    case .outputTokens: "Tokens that models generated."
    case .cachedTokens: "Tokens that models read from their caches."
    case .tokenUsage: "Tokens of each request, by type (older name)."
    case .agentDuration: "How long agents had the baton of a turn, or answered as friends."
    case .toolDuration: "How long calls of tools took."
    case .workflowDuration: "How long turns took."
    case .turns: "Turns that ended, friends' too, by their exit."
    case .capsBitten: "Turns that a cap ended."
    case .workerDeaths: "Workers that died, by the kind of death."
    case .prefillTokens: "Tokens of prompts, computed or taken from the cache."
    case .cacheBreaks: "Requests whose prompts differed from what was cached, by the reason."
    case .approvals: "Questions to a person that were answered."
    case .workers: "Processes, by role and state."
    case .workerMemory: "Memory of processes by role, with shared pages divided among users (PSS)."
    case .queueWaiting: "What waits for cores, memory or a person."
    case .approvalsWaiting: "Calls that wait for a person."
    case .cores: "Cores that workers share, by state."
    case .journalCommits: "How long commits of the journal took, the disk included."
    case .telemetryDropped: "Spans that no receiver took."
    case .buildInfo: "The version, the model and the sandbox; always 1."
    case .processStart: "When the coordinator started, in seconds since 1970."
    case .processCPU: "Processor time that the coordinator used."
    case .processResident: "Resident memory of the coordinator."
    case .processVirtual: "Virtual memory of the coordinator."
    case .processOpenFiles: "File descriptors that the coordinator has open."
    case .processMaxFiles: "File descriptors that the coordinator may have open."
    }
  }
}
