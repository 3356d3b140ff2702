import PlatformLibraries
import Wire

/// The living templates: the program's, one per model, and one per agent on it.
///
/// Each is forked from the one before, and workers from their agent's; anything else is forked from
/// the program's, which has only started. A template that dies is made again, within a budget.
/// Where none can be had, a worker is started from scratch: slower, but just as correct.
actor Templates {
  /// A template, from the first request for it.
  private struct Entry {
    let run: RunID
    /// The configuration that an agent's template is for; `nil` for one without an agent.
    let agent: WorkerConfiguration?
    let priority: CorePriority
    let making: Task<WorkerHandle?, Never>
    var worker: WorkerHandle?
    var status: Standby?
    var lastUse = ContinuousClock.now

    /// Whether processes can be forked from it.
    var isReady: Bool { status?.isReady == true }
  }

  private static let finishTimeout = Duration.seconds(1)

  private let supervisor: WorkerSupervisor
  private let cores: (any CoreArbiter)?
  private let memory: MemoryQueue?
  private let logs: String
  private let idleTime: Duration
  private var entries: [TemplateKey: Entry] = [:]
  private var budgets: [TemplateKey: RestartBudget] = [:]
  private var followers: [RunID: Task<Void, Never>] = [:]
  private var isClosed = false

  /// - Parameters:
  ///   - logs: The folder for the logs of templates.
  ///   - idleTime: How long to keep an unused template.
  init(
    supervisor: WorkerSupervisor,
    cores: (any CoreArbiter)?,
    memory: MemoryQueue?,
    logs: String,
    idleTime: Duration
  ) {
    self.supervisor = supervisor
    self.cores = cores
    self.memory = memory
    self.logs = logs
    self.idleTime = idleTime
  }

  /// Returns the template from which a worker can be forked; `nil` when there is none to be had.
  ///
  /// - Parameter isAhead: Whether the worker is started ahead of need.
  func template(for configuration: WorkerConfiguration, isAhead: Bool = false) async
    -> WorkerHandle?
  {
    guard let key = TemplateKey(configuration) else { return nil }
    return await worker(for: key, of: key.plugin.map { _ in configuration }, isAhead: isAhead)
  }

  /// Returns the program's template, for a worker without any other; `nil` where there is none.
  func program() async -> WorkerHandle? {
    await worker(for: .program, of: nil, isAhead: true)
  }

  /// Returns the memory a worker needs now, including the templates to be made before it.
  func need(for configuration: WorkerConfiguration) -> MemoryNeed {
    guard let key = TemplateKey(configuration) else { return .alone(configuration) }
    let missing = key.line.prefix { entries[$0] == nil }
    // Without the program's template, a model's is started from scratch.
    guard missing.allSatisfy({ isAllowed($0) || $0 == .program && $0 != key }) else {
      return .alone(configuration)
    }
    return missing.map(MemoryNeed.template).reduce(.fork(of: key), +)
  }

  /// - Parameters:
  ///   - agent: The configuration that an agent's template is for; `nil` for one without an agent.
  ///   - isAhead: Whether no launch waits for it, so that it reserves its memory itself.
  private func worker(
    for key: TemplateKey,
    of agent: WorkerConfiguration?,
    isAhead: Bool
  ) async -> WorkerHandle? {
    // Twice, because the first may turn out to have died.
    for _ in 0..<2 {
      if entries[key] == nil, !begin(key, of: agent, isAhead: isAhead) { return nil }
      guard let entry = entries[key] else { return nil }
      entries[key]?.lastUse = .now
      // Something begun ahead is now waited for.
      if !isAhead { raise(key) }
      guard let worker = await entry.making.value else { return nil }
      if !worker.hasEnded { return worker }
      // Its end has not been reported yet.
      fail(key, entry.run)
    }
    return nil
  }

  private func raise(_ key: TemplateKey) {
    for entry in key.line.compactMap({ entries[$0] }) where !entry.priority.isForeground {
      entry.priority.raise()
      cores?.raise(entry.run)
    }
  }

  /// Begins to make a template.
  ///
  /// - Returns: `false` when it has failed too often.
  private func begin(_ key: TemplateKey, of agent: WorkerConfiguration?, isAhead: Bool) -> Bool {
    guard !isClosed, isAllowed(key) else { return false }
    for other in entries.keys where key.replaces(other) { retire(other) }
    let run = RunID.new(agent: key.name)
    let priority = CorePriority(!isAhead)
    // Unstructured, so that all launches that want the template wait for the same one.
    let making = Task { await self.make(key, of: agent, run, priority, isAhead: isAhead) }
    entries[key] = Entry(run: run, agent: agent, priority: priority, making: making)
    return true
  }

  /// Returns whether the template has not failed too often.
  private func isAllowed(_ key: TemplateKey) -> Bool { budgets[key]?.allows(at: .now) ?? true }

  private func make(
    _ key: TemplateKey,
    of agent: WorkerConfiguration?,
    _ run: RunID,
    _ priority: CorePriority,
    isAhead: Bool
  ) async -> WorkerHandle? {
    var parent: WorkerHandle?
    if let before = key.parent {
      parent = await worker(for: before, of: nil, isAhead: isAhead)
      // Started from scratch it would load the model, but memory is reserved only for a fork.
      if parent == nil, key.plugin != nil { return giveUp(key, run) }
    }
    // The launch that waits for it has reserved memory for it as well.
    if isAhead {
      do { try memory?.reserveAhead(run, .template(key)) } catch { return giveUp(key, run) }
    }
    let launched = Date()
    guard
      let worker = try? await launch(
        key.configuration(run, of: agent),
        from: parent,
        priority
      )
    else {
      memory?.release(run)
      fail(key, run)
      return nil
    }
    let status = Standby(
      kind: .template,
      run: run,
      pid: worker.pid,
      name: key.name,
      model: key.model?.path,
      log: worker.log,
      launched: launched
    )
    if entries[key]?.run == run {
      entries[key]?.worker = worker
      entries[key]?.status = status
    }
    return await follow(worker, key) ? worker : nil
  }

  /// Starts a process that is to become a template.
  private func launch(
    _ configuration: WorkerConfiguration,
    from parent: WorkerHandle?,
    _ priority: CorePriority
  ) async throws -> WorkerHandle {
    let log = "\(logs)/\(configuration.run).log"
    if let parent,
      let fork = try await supervisor.fork(
        configuration,
        log: log,
        of: parent,
        priority: priority
      )
    {
      return fork
    }
    // Started from scratch an agent's would load the model, but memory is reserved only for a fork.
    guard configuration.plugin == nil else { throw LaunchError.system(call: "fork", code: ECHILD) }
    return try await supervisor.start(configuration, log: log, priority: priority)
  }

  /// Gives up a template whose needs cannot be met now, without counting that as its failure.
  private func giveUp(_ key: TemplateKey, _ run: RunID) -> WorkerHandle? {
    if entries[key]?.run == run { entries[key] = nil }
    return nil
  }

  /// Follows a template through its life.
  ///
  /// - Returns: Whether it became usable, as soon as that is known.
  private func follow(_ worker: WorkerHandle, _ key: TemplateKey) async -> Bool {
    await withCheckedContinuation { continuation in
      // It ends with the template.
      followers[worker.run] = Task {
        var waiting: CheckedContinuation<Bool, Never>? = continuation
        for await event in worker.events {
          switch event {
          case .message(.ready):
            self.markReady(key, worker.run)
            waiting?.resume(returning: true)
            waiting = nil
          case .message: break
          case .ended: self.end(of: worker.run, key)
          }
        }
        waiting?.resume(returning: false)
      }
    }
  }

  private func markReady(_ key: TemplateKey, _ run: RunID) {
    guard entries[key]?.run == run else { return }
    entries[key]?.status?.isReady = true
    // Making it may have taken longer than an unused one is kept.
    entries[key]?.lastUse = .now
  }

  /// Handles a template's end: one that was ready and was not retired is made again.
  private func end(of run: RunID, _ key: TemplateKey) {
    followers[run] = nil
    guard let entry = entries[key], entry.run == run else { return }
    fail(key, run)
    if entry.isReady { _ = begin(key, of: entry.agent, isAhead: true) }
  }

  private func fail(_ key: TemplateKey, _ run: RunID) {
    guard entries[key]?.run == run else { return }
    entries[key] = nil
    budgets[key, default: RestartBudget()].recordFailure(at: .now)
  }

  /// Ends templates that have not been used for long.
  ///
  /// One that is still being made is wanted, however long it takes to load.
  func retireIdle() {
    for (key, entry) in entries where entry.isReady && .now - entry.lastUse > idleTime {
      // A model's template stays as long as one forked from it, which may have to be made again.
      if entries.keys.contains(where: { $0.parent == key }) { continue }
      retire(key)
    }
    budgets = budgets.filter { !$0.value.isUnused(at: .now) }
  }

  /// Ends the least recently used template that has no forks.
  ///
  /// - Returns: Whether there was one; it has ended by then.
  func retireUnused(wantedBy configurations: [WorkerConfiguration], forkedFrom used: Set<RunID>)
    async -> Bool
  {
    let wanted = configurations.compactMap(TemplateKey.init).flatMap(\.line)
    let unused = entries.filter { key, entry in
      entry.isReady && !used.contains(entry.run) && !wanted.contains(key)
        && !entries.keys.contains { $0.parent == key }
    }
    guard let (key, entry) = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      return false
    }
    entries[key] = nil
    await entry.worker?.end(by: .retire)
    return true
  }

  private func retire(_ key: TemplateKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    // Unstructured: its end arrives as an event.
    Task { await entry.making.value?.end(by: .retire) }
  }

  func living() -> [Standby] {
    entries.values.compactMap { entry in
      guard let worker = entry.worker, !worker.hasEnded else { return nil }
      var status = entry.status
      status?.progress = worker.progress
      return status
    }
  }

  /// Stops making templates.
  func close() { isClosed = true }

  /// Waits until the ends of all templates are reported, but not for one that never ends.
  func finish() async {
    let waiting = Array(followers.values)
    let timer = Task {
      try await Task.sleep(for: Self.finishTimeout, clock: .suspending)
      for follower in waiting { follower.cancel() }
    }
    for follower in waiting { await follower.value }
    timer.cancel()
  }
}
