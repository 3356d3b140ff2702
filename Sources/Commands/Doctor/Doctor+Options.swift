import Coordinator
import Doors
import Plugins
import Telemetry
import Terminal
import Transcripts

// The options, read as 'start' reads them; omitted ones are not mentioned.

extension Doctor {
  func given(_ kit: AgentToolchain?) async -> [Diagnosis] {
    await projector(kit) + context() + caps() + allowed()
  }

  /// Examines the agent named to begin new sessions.
  func beginner(among names: [String]) -> [Diagnosis] {
    diagnose("agent", remedy: "name an existing agent with --agent") {
      guard let name = options.agent else { return nil }
      try PluginCatalog.check(beginner: name, among: names)
      return "\(name) starts new sessions"
    }
  }

  private func projector(_ kit: AgentToolchain?) async -> [Diagnosis] {
    let remedy = "name another GGUF file with --projector"
    let found = diagnose("projector", remedy: remedy) {
      try ModelFile.projector(named: options.projector)
    }
    guard let kit, let path = found.first(where: { $0.verdict == .ok })?.finding,
      let model = try? ModelFile.path(named: options.model, environment)
    else { return found }
    do {
      _ = try await kit.facts(model: model, projector: path)
      return [.ok("projector", "\(path), with \(model)")]
    } catch {
      return [.failure("projector", "\(error) (with \(model))", remedy: remedy)]
    }
  }

  private func context() -> [Diagnosis] {
    diagnose("context", remedy: "pass another number with --context, or omit it") {
      try options.givenContext()?.counted("token")
    }
  }

  private func caps() -> [Diagnosis] {
    diagnose("caps", remedy: "see --caps in 'orchestrator help start'") {
      guard try options.givenCaps() != nil else { return nil }
      return options.caps
    }
  }

  private func allowed() -> [Diagnosis] {
    diagnose("allow", remedy: "see --allow in 'orchestrator help start'") {
      _ = try options.grants(environment)
      return options.allow.isEmpty ? nil : options.allow.joined(separator: ", ")
    }
  }

  /// Says where turns are reported.
  func telemetry() -> [Diagnosis] {
    do {
      let decision = try options.telemetry.decision(environment)
      if decision.isUnasked { return [] }
      var diagnoses = decision.problems.map { problem in
        Diagnosis.warning("telemetry", problem, remedy: "correct or unset the variable")
      }
      guard let settings = decision.settings else {
        return diagnoses + [.ok("telemetry", "off: \(decision.reason)")]
      }
      let what = settings.spans.includesContents ? "turns with their contents" : "turns"
      let finding = "\(what) are reported to \(settings.publicDestination)"
      diagnoses.append(
        settings.leavesMachine
          ? .warning(
            "telemetry",
            "\(finding), on another machine",
            remedy: "set OTEL_SDK_DISABLED=true to report nothing"
          ) : .ok("telemetry", finding)
      )
      return diagnoses
    } catch {
      return [
        .failure("telemetry", "\(error)", remedy: "name a receiver such as http://localhost:4318")
      ]
    }
  }

  private func diagnose(
    _ subject: String,
    remedy: String,
    _ read: () throws -> String?
  ) -> [Diagnosis] {
    do {
      guard let finding = try read() else { return [] }
      return [.ok(subject, finding)]
    } catch {
      return [.failure(subject, "\(error)", remedy: remedy)]
    }
  }
}
