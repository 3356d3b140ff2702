import AgentKit
import Foundation
import Journal
import TestSupport
import Testing

@testable import Telemetry

@Suite(.timeLimit(.minutes(2)))
struct MetricTests {
  /// All metrics with some values.
  private func table() throws -> MetricTable {
    var table = MetricTable()
    for span in try FactLog.readme().spans() { table.count(span) }
    for metric in Metric.allCases {
      switch metric.kind {
      case .counter: table.add(to: metric, [MetricTable.Label("kind", "a\\b\"c\nd")])
      case .gauge: table.set(metric, 0.5)
      case .histogram: table.observe(1e9, in: metric)
      }
    }
    return table
  }

  @Test func `Every metric has help and a type, and samples of its name alone`() throws {
    let lines = try table().text.split(separator: "\n")
    var current = ""
    for line in lines where !line.hasPrefix("# HELP") {
      if line.hasPrefix("# TYPE ") {
        current = String(line.split(separator: " ")[2])
      } else {
        #expect(line.hasPrefix(current), "\(line)")
      }
    }
    let names = Metric.allCases.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(lines.count { $0.hasPrefix("# HELP \(name) ") } == 1)
      #expect(lines.count { $0.hasPrefix("# TYPE \(name) ") } == 1)
    }
    for metric in Metric.allCases where metric.kind == .counter {
      #expect(metric.name.hasSuffix("_total"))
    }
  }

  @Test func `Prometheus's own check has nothing to say`() async throws {
    guard try await Program.run("sh", ["-c", "command -v promtool"]).status == 0 else {
      try Test.cancel("promtool is not in PATH (Debian: prometheus)")
    }
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/metrics"
    try Data(try table().text.utf8).write(to: URL(filePath: path))
    let command = "promtool check metrics < '\(path)' 2>&1"
    let check = try await Program.run("sh", ["-c", command])
    #expect(check.status == 0)
    #expect(check.output == "")
  }

  @Test func `A turn's requests, tools and agents are counted`() throws {
    var table = MetricTable()
    for span in try FactLog.readme().spans() { table.count(span) }
    let text = table.text
    let model =
      #"gen_ai_operation_name="chat",gen_ai_provider_name="llama.cpp","#
      + #"gen_ai_request_model="pocket.gguf""#
    for line in [
      "gen_ai_client_inference_usage_input_tokens_total{\(model),gen_ai_token_modality=\"text\"} 500",
      "gen_ai_client_inference_duration_seconds_count{\(model)} 5",
      "gen_ai_client_inference_duration_seconds_bucket{\(model),le=\"0.04\"} 0",
      "gen_ai_client_inference_duration_seconds_bucket{\(model),le=\"0.08\"} 5",
      "gen_ai_client_inference_duration_seconds_bucket{\(model),le=\"+Inf\"} 5",
      #"gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="generate_title"} 1"#,
      #"gen_ai_invoke_agent_duration_seconds_count{gen_ai_agent_name="title"} 1"#,
      #"orchestrator_prefill_tokens_total{kind="cached"} 300"#,
      #"orchestrator_turns_total{agent="tutorial",exit="answered"} 1"#,
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test func `No session, prompt, process or run is a label`() throws {
    var log = FactLog()
    try log.begin("secret-session", prompt: "secret-prompt")
    log.launch("brainstorm", "secret-run", pid: 31_337)
    try log.call(("secret-call", "tool"))
    try log.output("secret-call", "secret-output")
    try log.respond("secret-answer")
    log.add(.ended(.failed("secret-reason"), revertingTo: nil))
    var table = MetricTable()
    for span in log.spans(SpanSettings(includesContents: true)) { table.count(span) }
    #expect(!table.text.contains("secret"))
    #expect(!table.text.contains("31337"))
  }

  @Test func `Names that a model makes up do not make series without end`() throws {
    var table = MetricTable()
    for number in 0..<10_000 {
      table.observe(
        1,
        in: .toolDuration,
        [.init("gen_ai_tool_name", "tool-\(number)\u{202E}\u{1B}")]
      )
    }
    let lines = table.text.split(separator: "\n")
    #expect(lines.count < 201 * 17 + 3)
    #expect(table.text.contains(#"_count{gen_ai_tool_name="_OTHER"} 9800"#))
    #expect(!table.text.contains("\u{202E}") && !table.text.contains("\u{1B}"))
  }

  @Test(arguments: [
    ("another prompt", "other_prompt"), ("the instructions changed", "instructions"),
    ("the tools changed", "tools"),
    ("the chat template writes an earlier entry differently", "template"),
    ("31 entries at the end are gone", "shortened"),
    ("2 entries before entry 5 of the history (tool output) were left out", "left_out"),
    ("entry 5 of the history (prompt) changed", "history"), ("a secret", "_OTHER"),
  ])
  func `Cache breaks are counted by their kind`(cause: String, reason: String) throws {
    var span = try #require(try FactLog.readme().spans().first { $0.name.hasPrefix("chat") })
    span.attributes.set("orchestrator.cache.break", cause)
    var table = MetricTable()
    table.count(span)
    #expect(table.text.contains("orchestrator_cache_breaks_total{reason=\"\(reason)\"} 1\n"))
  }

  @Test func `Names that are written alike are one series`() {
    var table = MetricTable()
    for name in ["a\u{202E}", "a\u{200B}", "a\u{1B}", "a\r", "a?", "a\nb", "a\\nb"] {
      table.add(to: .turns, [MetricTable.Label("agent", name)])
    }
    let samples = table.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(
      samples == [
        #"orchestrator_turns_total{agent="a?"} 5"#, #"orchestrator_turns_total{agent="a\\nb"} 1"#,
        #"orchestrator_turns_total{agent="a\nb"} 1"#,
      ]
    )
  }

  @Test func `This process is described`() {
    var table = MetricTable()
    table.setProcess(started: Date(timeIntervalSince1970: 100))
    for name in [
      "process_start_time_seconds 100", "process_cpu_seconds_total ",
      "process_resident_memory_bytes ", "process_virtual_memory_bytes ", "process_open_fds ",
      "process_max_fds ",
    ] {
      #expect(table.text.contains("\n\(name)"))
    }
  }
}
