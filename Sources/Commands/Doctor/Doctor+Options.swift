import AgentKit

// What was asked for, read as 'start' reads it: nothing is said of what was left out.

extension Doctor {
  func given() -> [Diagnosis] {
    projector() + context() + caps() + allowed()
  }

  /// Who was to begin new sessions.
  func beginner(among names: [String]) -> [Diagnosis] {
    diagnose("agent", remedy: "name one of them with --agent") {
      guard let name = options.agent else { return nil }
      try PluginCatalog.check(beginner: name, among: names)
      return "\(name) begins new sessions"
    }
  }

  private func projector() -> [Diagnosis] {
    diagnose("projector", remedy: "name another GGUF file with --projector") {
      try ModelFile.projector(named: options.projector)
    }
  }

  private func context() -> [Diagnosis] {
    diagnose("context", remedy: "give --context another number, or leave it away") {
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
      _ = try options.allowance(environment)
      return options.allow.isEmpty ? nil : options.allow.joined(separator: ", ")
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
