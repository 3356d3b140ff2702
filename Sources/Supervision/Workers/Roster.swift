package import Wire

/// All living workers: starts them when memory allows it, watches them and ends them.
///
/// A worker is a spare or a fork of its agent's template where there is one, else a fork of the
/// program's template, else a process started from scratch.
package actor Roster {
  private let supervisor: WorkerSupervisor
  private let templates: Templates
  private let spares: Spares
  private let timeouts: Timeouts
  private let memory: MemoryQueue?
  private let sandbox: SandboxPolicy?
  private let canFork: Bool
  /// Launches that rely on a template.
  private var forking: [RunID: WorkerConfiguration] = [:]
  private var retireIdle: (@Sendable () async -> Bool)?

  /// - Parameters:
  ///   - executable: The worker's program.
  ///   - isReplaced: Whether another build has taken the place of the executable, which is not
  ///     started then.
  ///   - launcher: What starts workers.
  ///   - templateLogs: The folder for the logs of templates. Without one there are no templates,
  ///     and every worker is started from scratch.
  ///   - cores: Decides which processes may compute; `nil` lets all of them.
  ///   - memory: Decides which processes may start; `nil` lets all of them.
  ///   - sandbox: How workers are confined; without it their configuration decides.
  ///   - pidFiles: Records living processes for the next coordinator.
  ///   - eventLoop: The event loop of all children; `nil` makes one.
  ///   - logSink: Receives what workers and templates write to their logs as well, on the thread of
  ///     the event loop.
  package init(
    executable: String,
    isReplaced: @escaping @Sendable () -> Bool = { false },
    launcher: any Launcher = LocalLauncher(),
    timeouts: Timeouts = Timeouts(),
    templateLogs: String? = nil,
    cores: (any CoreArbiter)? = nil,
    memory: MemoryQueue? = nil,
    sandbox: SandboxPolicy? = nil,
    pidFiles: PIDFiles? = nil,
    eventLoop: ChildEventLoop? = nil,
    logSink: (@Sendable (RunID, [UInt8]) -> Void)? = nil
  ) throws {
    self.timeouts = timeouts
    self.sandbox = sandbox
    let isHere = launcher.traits.contains(.sharesMachine)
    let (cores, memory) = isHere ? (cores, memory) : (nil, nil)
    self.memory = memory
    canFork = templateLogs != nil && launcher.traits.contains(.canFork)
    supervisor = WorkerSupervisor(
      starter: Starter(
        eventLoop: try eventLoop ?? ChildEventLoop(),
        launcher: launcher,
        executable: executable,
        isReplaced: isReplaced,
        forkTimeout: timeouts.fork
      ),
      timeouts: timeouts,
      cores: cores,
      memory: memory,
      sandbox: sandbox,
      pidFiles: pidFiles,
      logSink: logSink
    )
    templates = Templates(
      supervisor: supervisor,
      cores: cores,
      memory: memory,
      logs: templateLogs ?? "",
      idleTime: timeouts.idle
    )
    spares = Spares(
      supervisor: supervisor,
      templates: templates,
      cores: cores,
      memory: memory,
      sandbox: sandbox,
      logs: templateLogs ?? "",
      idleTime: timeouts.idle
    )
  }

  // MARK: Starting

  /// Starts a worker and sends it its configuration.
  ///
  /// If a spare becomes the worker, its run differs from the configuration's.
  ///
  /// - Parameter onWait: Called while the launch waits for memory.
  /// - Throws: `LaunchError`; `MemoryShortage`; `CancellationError` when the task was cancelled
  ///   before there was a process.
  package func launch(
    _ configuration: WorkerConfiguration,
    log: String,
    onWait: @escaping MemoryQueue.WaitHandler = { _ in }
  ) async throws -> WorkerHandle {
    if let spare = await spares.claim(for: configuration) { return spare }
    do {
      if let worker = try await fork(configuration, log: log, onWait) { return worker }
      try await admit(configuration, onWait) { .alone(configuration) }
      if canFork, let program = await templates.program() {
        try Task.checkCancellation()
        if let worker = try await supervisor.fork(configuration, log: log, of: program) {
          return worker
        }
      }
      return try await supervisor.start(configuration, log: log)
    } catch {
      memory?.release(configuration.run)
      sandbox?.removeScratch(of: configuration.run)
      throw error
    }
  }

  /// Starts a worker from its agent's template; `nil` where that is impossible.
  private func fork(
    _ configuration: WorkerConfiguration,
    log: String,
    _ onWait: MemoryQueue.WaitHandler
  ) async throws -> WorkerHandle? {
    guard hasTemplate(for: configuration), let key = TemplateKey(configuration) else { return nil }
    // Only for this long: a worker started from scratch may need the memory of templates that no
    // other launch waits for.
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
    return try await supervisor.fork(
      key == .program ? configuration : configuration.toFork,
      log: log,
      of: template
    )
  }

  /// Prepares the template of an agent for a worker that will be wanted; what a launch waits for
  /// comes first.
  package func prepare(_ configuration: WorkerConfiguration) async {
    if hasTemplate(for: configuration) {
      _ = await templates.template(for: configuration, isAhead: true)
    }
  }

  /// Keeps a spare worker of an agent, because one is likely to be wanted soon.
  package func expect(_ configuration: WorkerConfiguration) async {
    if hasTemplate(for: configuration) { await spares.expect(configuration) }
  }

  private func hasTemplate(for configuration: WorkerConfiguration) -> Bool {
    canFork && sandbox?.allowsFork(of: configuration) != false
  }

  // MARK: Memory

  package nonisolated var memoryWaits: [MemoryWait] { memory?.waits ?? [] }

  /// Sets the closure that ends some idle workers when memory is short.
  ///
  /// - Parameter retire: Returns whether there were any to end.
  package func retireIdleWorkers(by retire: @escaping @Sendable () async -> Bool) {
    retireIdle = retire
  }

  private func admit(
    _ configuration: WorkerConfiguration,
    _ onWait: MemoryQueue.WaitHandler,
    need: @Sendable () async -> MemoryNeed
  ) async throws {
    try await memory?.admit(
      configuration.run,
      onWait: onWait,
      reclaim: { await self.reclaim() },
      need: need
    )
  }

  /// Ends a spare, an unused template, or idle workers.
  private func reclaim() async -> Bool {
    if await spares.retireOne() { return true }
    let used = await supervisor.templatesInUse
    if await templates.retireUnused(wantedBy: Array(forking.values), forkedFrom: used) {
      return true
    }
    return await retireIdle?() ?? false
  }

  // MARK: Watching and ending

  /// The living workers and templates.
  package var living: Set<RunID> {
    get async { await supervisor.living }
  }

  /// The folders in which the living workers and templates keep prefixes.
  package var prefixFolders: Set<String> {
    get async { await supervisor.prefixFolders }
  }

  package func standbys() async -> [Standby] { await templates.living() + spares.living() }

  /// Returns the prompt of a worker's latest request as its model was given it; `nil` when it has
  /// ended, has asked no model of its own, or does not answer in time.
  package func prompt(of run: RunID) async -> RenderedPrompt? { await supervisor.prompt(of: run) }

  /// Pings every worker periodically until the task is cancelled, and kills those that do not
  /// answer.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: timeouts.heartbeat)
      if canFork {
        await templates.retireIdle()
        // A separate task, because a fork may take long and must not delay the heartbeats.
        Task { await spares.replenish() }
      }
      await supervisor.beat()
    }
  }

  /// Ends all workers and starts no more.
  package func close() async {
    await templates.close()
    await spares.close()
    await supervisor.close()
    await templates.finish()
    await SandboxPolicy.finishRemovals()
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
