import Foundation
package import Wire

// What is forked from what: a worker from its agent's template, everything else from the program's.

extension Roster {
  /// Starts a worker from its agent's template; `nil` where that is impossible.
  func fork(
    _ configuration: WorkerConfiguration,
    log: String,
    _ onWait: MemoryQueue.WaitHandler
  ) async throws -> WorkerHandle? {
    guard hasTemplate(for: configuration), let key = TemplateKey(configuration) else { return nil }
    // Only for this long: a worker started from scratch may need the memory of templates that
    // nobody else waits for.
    forking[configuration.run] = configuration
    defer { forking[configuration.run] = nil }
    do {
      try await admit(configuration, onWait) { await self.templates.need(for: configuration) }
    } catch let shortage as MemoryShortage where shortage.isPermanent {
      // Templates plus a fork take more than a single process that does without.
      return nil
    }
    guard let template = await templates.template(for: configuration) else { return nil }
    try Task.checkCancellation()
    memory?.reduce(configuration.run, to: .fork(of: key))
    return try await fork(
      key == .program ? configuration : configuration.toFork,
      log: log,
      of: template
    )
  }

  /// Starts a process as a fork; `nil` when the template does not fork.
  func fork(
    _ configuration: WorkerConfiguration,
    log: String,
    of template: WorkerHandle,
    priority: CorePriority = CorePriority(true)
  ) async throws -> WorkerHandle? {
    do {
      return try await launch(configuration, log: log, from: template, priority: priority)
    } catch {
      if isClosed { throw error }
      // A template that did not fork in time would not fork for the next either; one that died of
      // it is known by its exit.
      if case LaunchError.system(_, ETIMEDOUT) = error {
        template.terminate(reason: .hung(seconds: Int(timeouts.fork.components.seconds)))
      }
      return nil
    }
  }

  /// Prepares the template of an agent for a worker that will be wanted.
  ///
  /// Anything that somebody waits for comes first.
  package func prepare(_ configuration: WorkerConfiguration) async {
    if hasTemplate(for: configuration) {
      _ = await templates.template(for: configuration, isAhead: true)
    }
  }

  /// Keeps a spare worker of an agent, because one is likely to be wanted soon.
  package func expect(_ configuration: WorkerConfiguration) async {
    if hasTemplate(for: configuration) { await spares.expect(configuration) }
  }

  var canFork: Bool { logs != nil && starter.bubblewrap == nil }

  private func hasTemplate(for configuration: WorkerConfiguration) -> Bool {
    canFork && sandbox?.allowsFork(of: configuration) != false
  }
}

extension WorkerConfiguration {
  /// The configuration for a fork of its agent's template, which already knows the agent.
  var toFork: WorkerConfiguration {
    var configuration = self
    configuration.agent = nil
    return configuration
  }
}
