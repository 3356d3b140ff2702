import ArgumentParser
import Coordinator
import Foundation
import Telemetry
import Terminal

/// Where turns are reported.
struct TelemetryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The receiver of traces: the address of an OpenTelemetry collector, Phoenix, MLflow or alike.",
      discussion: "(default: OTEL_EXPORTER_OTLP_ENDPOINT, or none)",
      valueName: "url"
    )
  )
  var telemetry: String?

  @Flag(help: "Report what is said in turns, too: prompts, answers, arguments and results.")
  var telemetryContent = false

  /// Decides where turns are reported, and notes what is wrong with the environment.
  func notedDecision(_ environment: [String: String]) throws(CommandError) -> TelemetryDecision {
    do throws(TelemetryDecision.Fault) {
      let decision = try decision(environment)
      for problem in decision.problems { Terminal().note("Telemetry: \(problem).") }
      return decision
    } catch {
      throw .badOption(error.description)
    }
  }

  /// Decides where turns are reported.
  func decision(_ environment: [String: String]) throws(TelemetryDecision.Fault)
    -> TelemetryDecision
  {
    try TelemetryDecision(
      url: telemetry,
      includesContents: telemetryContent,
      environment: environment,
      process: TelemetryDecision.Process(
        version: Version.current,
        host: ProcessInfo.processInfo.hostName,
        pid: getpid(),
        instance: UUID().uuidString.lowercased()
      ),
      console: { line in
        try? FileHandle.standardError.write(contentsOf: Data("\(line.jsonForTerminal)\n".utf8))
      }
    )
  }
}
