import Journal

/// A metric: its name, its type and what it says.
package enum Metric: Sendable, Hashable, CaseIterable {
  // The names of the GenAI conventions; where they were renamed, both, for older dashboards.
  case inferenceDuration, operationDuration
  case timeToFirstChunk, timeToFirstToken
  case timePerOutputChunk, timePerOutputToken
  case inputTokens, outputTokens, cachedTokens, tokenUsage
  case agentDuration, toolDuration, workflowDuration
  // Ours.
  case turns, capsBitten, workerDeaths, prefillTokens, cacheBreaks, approvals
  case workers, workerMemory, queueWaiting, approvalsWaiting, cores
  case journalCommits, telemetryDropped, buildInfo
  // The process, as Prometheus's own libraries name it.
  case processStart, processCPU, processResident, processVirtual, processOpenFiles, processMaxFiles

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

  var description: (name: String, kind: Kind, help: String) {
    switch self {
    case .inferenceDuration:
      (
        "gen_ai_client_inference_duration_seconds", .histogram(Self.durations),
        "How long requests to models took."
      )
    case .operationDuration:
      (
        "gen_ai_client_operation_duration_seconds", .histogram(Self.durations),
        "How long requests to models took (older name)."
      )
    case .timeToFirstChunk:
      (
        "gen_ai_client_inference_time_to_first_chunk_seconds", .histogram(Self.durations),
        "The time from the start of a request to its first token."
      )
    case .timeToFirstToken:
      (
        "gen_ai_server_time_to_first_token_seconds", .histogram(Self.durations),
        "The time from the start of a request to its first token (older name)."
      )
    case .timePerOutputChunk:
      (
        "gen_ai_client_inference_time_per_output_chunk_seconds", .histogram(Self.chunkDurations),
        "The time for each token after the first of a request."
      )
    case .timePerOutputToken:
      (
        "gen_ai_server_time_per_output_token_seconds", .histogram(Self.chunkDurations),
        "The time for each token after the first of a request (older name)."
      )
    case .inputTokens:
      (
        "gen_ai_client_inference_usage_input_tokens_total", .counter,
        "Tokens that models read, cached ones included."
      )
    case .outputTokens:
      (
        "gen_ai_client_inference_usage_output_tokens_total", .counter,
        "Tokens that models generated."
      )
    case .cachedTokens:
      (
        "gen_ai_client_inference_usage_cache_read_input_tokens_total", .counter,
        "Tokens that models read from their caches."
      )
    case .tokenUsage:
      (
        "gen_ai_client_token_usage", .histogram(Self.tokenCounts),
        "Tokens of each request, by type (older name)."
      )
    case .agentDuration:
      (
        "gen_ai_invoke_agent_duration_seconds", .histogram(Self.durations),
        "How long agents had the baton of a turn, or answered as friends."
      )
    case .toolDuration:
      (
        "gen_ai_execute_tool_duration_seconds", .histogram(Self.durations),
        "How long calls of tools took."
      )
    case .workflowDuration:
      ("gen_ai_workflow_duration_seconds", .histogram(Self.durations), "How long turns took.")
    case .turns:
      ("orchestrator_turns_total", .counter, "Turns that ended, friends' too, by their exit.")
    case .capsBitten: ("orchestrator_caps_bitten_total", .counter, "Turns that a cap ended.")
    case .workerDeaths:
      ("orchestrator_worker_deaths_total", .counter, "Workers that died, by the kind of death.")
    case .prefillTokens:
      (
        "orchestrator_prefill_tokens_total", .counter,
        "Tokens of prompts, computed or taken from the cache."
      )
    case .cacheBreaks:
      (
        "orchestrator_cache_breaks_total", .counter,
        "Requests whose prompts differed from what was cached, by the reason."
      )
    case .approvals:
      ("orchestrator_approvals_total", .counter, "Questions to a person that were answered.")
    case .workers: ("orchestrator_workers", .gauge, "Processes, by role and state.")
    case .workerMemory:
      (
        "orchestrator_worker_memory_bytes", .gauge,
        "Memory of processes by role, with shared pages divided among users (PSS)."
      )
    case .queueWaiting:
      ("orchestrator_queue_waiting", .gauge, "What waits for cores, memory or a person.")
    case .approvalsWaiting:
      ("orchestrator_approvals_waiting", .gauge, "Calls that wait for a person.")
    case .cores: ("orchestrator_cores", .gauge, "Cores that workers share, by state.")
    case .journalCommits:
      (
        "orchestrator_journal_commit_seconds", .histogram(CommitTimes.bounds),
        "How long commits of the journal took, the disk included."
      )
    case .telemetryDropped:
      ("orchestrator_telemetry_dropped_total", .counter, "Spans that no receiver took.")
    case .buildInfo:
      ("orchestrator_build_info", .gauge, "The version, the model and the sandbox; always 1.")
    case .processStart:
      (
        "process_start_time_seconds", .gauge,
        "When the coordinator started, in seconds since 1970."
      )
    case .processCPU:
      ("process_cpu_seconds_total", .counter, "Processor time that the coordinator used.")
    case .processResident:
      ("process_resident_memory_bytes", .gauge, "Resident memory of the coordinator.")
    case .processVirtual:
      ("process_virtual_memory_bytes", .gauge, "Virtual memory of the coordinator.")
    case .processOpenFiles:
      ("process_open_fds", .gauge, "File descriptors that the coordinator has open.")
    case .processMaxFiles:
      ("process_max_fds", .gauge, "File descriptors that the coordinator may have open.")
    }
  }
}
