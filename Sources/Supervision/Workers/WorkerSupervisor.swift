import PlatformLibraries
import Wire

/// Starts processes, and watches and ends those that live.
actor WorkerSupervisor {
  /// A living worker or template.
  private struct Entry {
    let worker: WorkerHandle
    let isTemplate: Bool
    /// The template that it was forked from.
    let template: RunID?
    /// The model that it has loaded or is loading.
    let model: String?
    /// Whether it may be more than one process.
    let startsPrograms: Bool
    /// The folder in which it keeps prefixes.
    let prefixes: String?
  }

  private let starter: Starter
  private let timeouts: Roster.Timeouts
  private let cores: (any CoreArbiter)?
  private let memory: MemoryQueue?
  private let sandbox: SandboxPolicy?
  private let quotas: QuotaMonitor?
  private let pidFiles: PIDFiles?
  private let logSink: (@Sendable (RunID, [UInt8]) -> Void)?
  private let heartbeat: Heartbeat
  private let kills = OutOfMemoryKills()
  private var entries: [RunID: Entry] = [:]
  private var isClosed = false

  init(
    starter: Starter,
    timeouts: Roster.Timeouts,
    cores: (any CoreArbiter)?,
    memory: MemoryQueue?,
    sandbox: SandboxPolicy?,
    pidFiles: PIDFiles?,
    logSink: (@Sendable (RunID, [UInt8]) -> Void)? = nil
  ) {
    self.starter = starter
    self.timeouts = timeouts
    self.cores = cores
    self.memory = memory
    self.sandbox = sandbox
    quotas = sandbox.map { QuotaMonitor($0.limit, prefixes: $0.prefixLimit) }
    self.pidFiles = pidFiles
    self.logSink = logSink
    heartbeat = Heartbeat(eventLoop: starter.eventLoop, timeouts: timeouts)
  }

  var living: Set<RunID> { Set(entries.keys) }

  /// The folders in which living processes keep prefixes.
  var prefixFolders: Set<String> { Set(entries.values.compactMap(\.prefixes)) }

  /// The templates of living processes.
  var templatesInUse: Set<RunID> {
    Set(entries.values.filter { !$0.worker.hasEnded }.compactMap(\.template))
  }

  // MARK: Starting

  /// Starts a process from scratch, or as a fork of a template, and sends it its configuration.
  func start(
    _ configuration: WorkerConfiguration,
    log: String,
    from template: WorkerHandle? = nil,
    priority: CorePriority = CorePriority(true)
  ) async throws -> WorkerHandle {
    guard !isClosed else { throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN) }
    var configuration = configuration
    configuration.sharesCores = cores != nil
    configuration.silenceLimit = timeouts.coordinator / .seconds(1)
    configuration.memory = Machine.totalMemoryHere
    configuration.confinement =
      try sandbox?.confinement(for: configuration) ?? configuration.confinement
    let (run, isTemplate) = (configuration.run, configuration.role == .template)
    let coreClient = cores.map { CoreClient(run, arbiter: $0, priority: priority) }
    let (isFork, model, prefixes) = (template != nil, configuration.model, configuration.snapshots)
    let isModelLoaded = template.flatMap { entries[$0.run]?.model } == model
    // No template runs an agent's code, and what forks is no launcher around the worker.
    let startsPrograms =
      !starter.launcher.traits.contains(.canFork)
      || configuration.role == .worker && configuration.confinement?.keepsToItself != true
    let forward = logSink.map { sink -> @Sendable ([UInt8]) -> Void in { sink(run, $0) } }
    let connection = WorkerConnection(
      log: WorkerLog(path: log, forward: forward),
      isFork: isFork,
      loadGrowth: Roster.Timeouts.growth(for: configuration, isModelLoaded: isModelLoaded),
      cores: coreClient,
      kills: kills,
      onIdentified: { [eventLoop = starter.eventLoop] fork, pid in
        // Only a template may name another process than itself.
        guard fork == nil ? isFork : isTemplate else { return }
        eventLoop.identify((fork ?? run).description, as: pid)
      },
      onReady: { [memory] in memory?.becameReady(run) },
      onEnd: { [memory] in memory?.release(run) }
    )
    let pid = try await starter.start(configuration, from: template) { connection.handle($0) }
    memory?.began(run, pid: pid)
    pidFiles?.record(run, pid: pid)
    let worker = WorkerHandle(
      run: run,
      pid: pid,
      log: log,
      eventLoop: starter.eventLoop,
      connection: connection
    )
    // The launch suspended this actor, which may have been closed in the meantime.
    guard !isClosed else {
      await worker.end(by: .kill)
      pidFiles?.remove(run)
      throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN)
    }
    entries[run] = Entry(
      worker: worker,
      isTemplate: isTemplate,
      template: template?.run,
      model: model,
      startsPrograms: startsPrograms,
      prefixes: prefixes
    )
    coreClient?.connect { try? worker.send($0) }
    try worker.send(.hello(configuration))
    return worker
  }

  /// Starts a process as a fork; `nil` when the template does not fork.
  func fork(
    _ configuration: WorkerConfiguration,
    log: String,
    of template: WorkerHandle,
    priority: CorePriority = CorePriority(true)
  ) async throws -> WorkerHandle? {
    do {
      return try await start(configuration, log: log, from: template, priority: priority)
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

  /// Returns the prompt of a worker's latest request; `nil` when there is none to be had.
  func prompt(of run: RunID) async -> RenderedPrompt? {
    guard let entry = entries[run], !entry.isTemplate, !entry.worker.hasEnded else { return nil }
    return await entry.worker.prompt()
  }

  // MARK: Watching and ending

  /// Pings all processes, kills those that do not answer or exceed a quota, and forgets those that
  /// have ended; called once per heartbeat interval.
  func beat() {
    cores?.resize(to: Machine.cores())
    kills.sample()
    for (run, entry) in entries where entry.worker.hasEnded {
      entries[run] = nil
      sandbox?.removeScratch(of: run)
      pidFiles?.remove(run)
    }
    heartbeat.ping(entries.values.map(\.worker))
    quotas?.check(
      entries.map { run, entry in
        QuotaMonitor.Place(
          worker: entry.worker,
          startsPrograms: entry.startsPrograms,
          scratch: sandbox?.folder(of: run),
          prefixes: entry.prefixes
        )
      }
    )
  }

  /// Ends all processes and starts no more.
  func close() async {
    isClosed = true
    let workers = entries.values.map(\.worker)
    entries = [:]
    await withTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { await worker.end(by: .leave) } }
    }
    for worker in workers {
      sandbox?.removeScratch(of: worker.run)
      if worker.hasEnded { pidFiles?.remove(worker.run) }
    }
  }
}
