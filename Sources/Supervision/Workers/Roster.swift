import Foundation
package import Wire

/// All living workers: starts them, watches them and ends them.
package actor Roster {
  private let eventLoop: ChildEventLoop
  let starter: Starter
  private let heartbeat: Heartbeat
  let timeouts: Timeouts
  let logs: String?
  private let cores: (any CoreArbiter)?
  let memory: MemoryQueue?
  let sandbox: SandboxPolicy?
  private let quotas: QuotaMonitor?
  private let pidFiles: PIDFiles?
  private let kills = OutOfMemoryKills()
  private var entries: [RunID: Entry] = [:]
  /// Launches that rely on a template.
  var forking: [RunID: WorkerConfiguration] = [:]
  private var retireIdle: (@Sendable () async -> Bool)?
  var isClosed = false
  lazy var templates = Templates(
    eventLoop: eventLoop,
    cores: cores,
    memory: memory,
    idleTime: timeouts.idle
  ) { configuration, parent, priority in
    let log = self.log(of: configuration.run)
    if let parent,
      let fork = try await self.fork(configuration, log: log, of: parent, priority: priority)
    {
      return fork
    }
    // If the model's template did not fork, stop: memory is reserved only for a fork.
    guard configuration.plugin == nil else { throw LaunchError.system(call: "fork", code: ECHILD) }
    return try await self.launch(configuration, log: log, from: nil, priority: priority)
  }
  lazy var spares = Spares(
    cores: cores,
    memory: memory,
    idleTime: timeouts.idle
  ) { configuration, priority in
    let template = await self.templates.template(for: configuration, isAhead: true)
    guard let template else { return nil }
    let spare = try? await self.fork(
      configuration.toFork,
      log: self.log(of: configuration.run),
      of: template,
      priority: priority
    )
    if spare == nil { self.sandbox?.removeScratch(of: configuration.run) }
    return spare
  }

  /// - Parameters:
  ///   - isReplaced: Whether another build has taken the place of the executable, which is not
  ///     started then.
  ///   - templateLogs: The folder for the logs of templates. Without one there are no templates,
  ///     and every worker is started from scratch.
  ///   - cores: Decides who may compute; without it everybody may.
  ///   - memory: Decides who may start; without it everybody may.
  ///   - sandbox: How workers are confined; without it their configuration decides.
  ///   - bubblewrap: The launcher for workers; without it they are started directly.
  ///   - pidFiles: Records living processes for the next coordinator.
  package init(
    executable: String,
    isReplaced: @escaping @Sendable () -> Bool = { false },
    timeouts: Timeouts = Timeouts(),
    templateLogs: String? = nil,
    cores: (any CoreArbiter)? = nil,
    memory: MemoryQueue? = nil,
    sandbox: SandboxPolicy? = nil,
    bubblewrap: Bubblewrap? = nil,
    pidFiles: PIDFiles? = nil
  ) throws {
    self.timeouts = timeouts
    self.sandbox = sandbox
    quotas = sandbox.map { QuotaMonitor($0.limit, prefixes: $0.prefixLimit) }
    self.pidFiles = pidFiles
    logs = templateLogs
    self.cores = cores
    self.memory = memory
    eventLoop = try ChildEventLoop()
    heartbeat = Heartbeat(eventLoop: eventLoop, timeouts: timeouts)
    starter = Starter(
      eventLoop: eventLoop,
      executable: executable,
      isReplaced: isReplaced,
      bubblewrap: bubblewrap,
      forkTimeout: timeouts.fork
    )
  }

  /// Starts a worker and sends it a configuration; a fork of its agent's template where there is one.
  ///
  /// If a spare is available, it becomes the worker, and its run differs from the configuration's.
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
        if let worker = try await fork(configuration, log: log, of: program) { return worker }
      }
      return try await launch(configuration, log: log, from: nil)
    } catch {
      memory?.release(configuration.run)
      sandbox?.removeScratch(of: configuration.run)
      throw error
    }
  }

  private nonisolated func log(of run: RunID) -> String { "\(logs ?? "")/\(run).log" }

  /// The living workers and templates.
  package var living: Set<RunID> { Set(entries.keys) }

  /// The folders in which the living workers and templates keep prefixes.
  package var prefixFolders: Set<String> { Set(entries.values.compactMap(\.prefixes)) }

  /// Returns the living templates and spares.
  package func standbys() async -> [Standby] { await templates.living() + spares.living() }

  // MARK: Memory

  /// The workers that wait for memory.
  package nonisolated var memoryWaits: [MemoryWait] { memory?.waits ?? [] }

  /// Sets the closure that ends some idle workers when memory is short.
  ///
  /// - Parameter retire: Returns whether there were any to end.
  package func retireIdleWorkers(by retire: @escaping @Sendable () async -> Bool) {
    retireIdle = retire
  }

  func admit(
    _ configuration: WorkerConfiguration,
    _ onWait: MemoryQueue.WaitHandler,
    need: @Sendable () async -> MemoryNeed
  ) async throws {
    try await memory?.admit(
      configuration.run,
      onWait: onWait,
      reclaim: { await self.makeRoom() },
      need: need
    )
  }

  /// Ends a spare, an unused template, or idle workers.
  private func makeRoom() async -> Bool {
    if await spares.retireOne() { return true }
    let used = entries.values.filter { !$0.worker.hasEnded }.compactMap(\.template)
    if await templates.retireUnused(wantedBy: Array(forking.values), forkedFrom: Set(used)) {
      return true
    }
    return await retireIdle?() ?? false
  }

  // MARK: Starting

  func launch(
    _ configuration: WorkerConfiguration,
    log: String,
    from template: WorkerHandle?,
    priority: CorePriority = CorePriority(true)
  ) async throws -> WorkerHandle {
    guard !isClosed else { throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN) }
    var configuration = configuration
    configuration.sharesCores = cores != nil
    configuration.silenceLimit = timeouts.coordinator / .seconds(1)
    configuration.memory = Machine.totalMemoryHere
    configuration.confinement =
      try sandbox?.confinement(for: configuration) ?? configuration.confinement
    let run = configuration.run
    let coreLine = cores.map { CoreClient(run, arbiter: $0, priority: priority) }
    let (isFork, model, prefixes) = (template != nil, configuration.model, configuration.snapshots)
    let isModelLoaded = template.flatMap { entries[$0.run]?.model } == model
    // No template runs an agent's code.
    let startsPrograms =
      starter.bubblewrap != nil
      || configuration.role == .worker && configuration.confinement?.keepsToItself != true
    let connection = WorkerConnection(
      log: WorkerLog(path: log),
      isFork: isFork,
      loadGrowth: Timeouts.growth(for: configuration, isModelLoaded: isModelLoaded),
      cores: coreLine,
      kills: kills,
      onGreeting: { [eventLoop] greeting in
        if isFork { eventLoop.identify(run.description, as: greeting.pid) }
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
      eventLoop: eventLoop,
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
      template: template?.run,
      model: model,
      startsPrograms: startsPrograms,
      prefixes: prefixes
    )
    coreLine?.connect { try? worker.send($0) }
    try worker.send(.hello(configuration))
    return worker
  }

  /// Pings every worker periodically until the task is cancelled, and kills those that do not
  /// answer.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: timeouts.heartbeat)
      cores?.resize(to: Machine.cores())
      kills.sample()
      if logs != nil {
        await templates.retireIdle()
        // A separate task, because a fork may take long and must not delay the heartbeats.
        Task { await spares.replenish() }
      }
      for (run, entry) in entries where entry.worker.hasEnded {
        entries[run] = nil
        sandbox?.removeScratch(of: run)
        pidFiles?.remove(run)
      }
      heartbeat.ping(entries.values.map(\.worker))
      quotas?.check(
        entries.map { run, entry in entry.place(scratch: sandbox?.folder(of: run)) }
      )
    }
  }

  /// Ends all workers and starts no more.
  package func close() async {
    isClosed = true
    let workers = entries.values.map(\.worker)
    entries = [:]
    await templates.close()
    await spares.close()
    await withTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { await worker.end(by: .leave) } }
    }
    await templates.finish()
    for worker in workers {
      sandbox?.removeScratch(of: worker.run)
      if worker.hasEnded { pidFiles?.remove(worker.run) }
    }
    await SandboxPolicy.finishRemovals()
  }
}
