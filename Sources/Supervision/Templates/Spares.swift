import PlatformLibraries
import Wire

/// Workers started ahead of need: one for each agent that is likely to be asked soon.
///
/// A spare has loaded its agent and rehearsed an answer, but belongs to no conversation. It is made
/// while no core is busy, and is the first to go when memory is short.
actor Spares {
  /// What a spare must have in common with the worker that is wanted.
  private struct Key: Hashable {
    let template: TemplateKey
    let confinement: Confinement?
    /// A server may have changed its tools since.
    let tools: WorkerConfiguration.Tools

    init?(_ configuration: WorkerConfiguration) {
      // Without a model there is nothing to rehearse with.
      guard configuration.model != nil, let template = TemplateKey(configuration) else {
        return nil
      }
      self.template = template
      confinement = configuration.confinement
      tools = configuration.tools
    }
  }

  private struct Expectation {
    let configuration: WorkerConfiguration
    var lastUse = ContinuousClock.now
    var budget = RestartBudget()
  }

  private struct Spare {
    let worker: WorkerHandle
    let priority: CorePriority
    let standby: Standby
  }

  private let supervisor: WorkerSupervisor
  private let templates: Templates
  private let cores: (any CoreArbiter)?
  private let memory: MemoryQueue?
  private let sandbox: SandboxPolicy?
  private let logs: String
  private let idleTime: Duration
  private var expectations: [Key: Expectation] = [:]
  private var spares: [Key: Spare] = [:]
  /// Dismissed spares that have not yet ended.
  private var leaving: [Spare] = []
  private var isMaking = false
  private var isClosed = false

  /// - Parameters:
  ///   - logs: The folder for the logs of spares.
  ///   - idleTime: How long to keep a spare whose agent is not asked.
  init(
    supervisor: WorkerSupervisor,
    templates: Templates,
    cores: (any CoreArbiter)?,
    memory: MemoryQueue?,
    sandbox: SandboxPolicy?,
    logs: String,
    idleTime: Duration
  ) {
    self.supervisor = supervisor
    self.templates = templates
    self.cores = cores
    self.memory = memory
    self.sandbox = sandbox
    self.logs = logs
    self.idleTime = idleTime
  }

  /// Notes that a worker like this is likely to be wanted.
  func expect(_ configuration: WorkerConfiguration) {
    guard !isClosed, let key = Key(configuration) else { return }
    _ = forgetOthers(replacedBy: key)
    expectations[key, default: Expectation(configuration: configuration)].lastUse = .now
  }

  /// Returns the spare that fits a configuration; it belongs to the caller from now on.
  func claim(for configuration: WorkerConfiguration) -> WorkerHandle? {
    guard let key = Key(configuration) else { return nil }
    // If the agent has changed since, it is wanted as it is now; the old one would keep replacing
    // it.
    if forgetOthers(replacedBy: key) {
      expectations[key] = Expectation(configuration: configuration)
    }
    // It may have exited since the last event.
    guard let spare = spares[key], spare.worker.hasRehearsed,
      !spare.worker.hasEnded, ChildState(of: spare.worker.pid) == .alive
    else { return nil }
    spares[key] = nil
    expectations[key]?.lastUse = .now
    spare.priority.raise()
    cores?.raise(spare.worker.run)
    return spare.worker
  }

  /// Makes missing spares while no process computes, and ends those long unused.
  func replenish() async {
    removeEnded()
    for (key, expectation) in expectations where .now - expectation.lastUse > idleTime {
      forget(key)
    }
    guard !isMaking else { return }
    isMaking = true
    defer { isMaking = false }
    for key in Array(expectations.keys) {
      // Making one suspends the actor, so another may no longer be expected.
      guard !isClosed, cores?.isIdle ?? true else { return }
      guard let expectation = expectations[key] else { continue }
      if spares[key] == nil, expectation.budget.allows(at: .now) { await make(key, expectation) }
    }
  }

  private func make(_ key: Key, _ expectation: Expectation) async {
    var configuration = expectation.configuration
    let agent = configuration.run.agent
    configuration.run = .new(agent: agent)
    configuration.isAhead = true
    do {
      try memory?.reserveAhead(configuration.run, .fork(of: key.template))
    } catch {
      return
    }
    let priority = CorePriority(false)
    let launched = Date()
    guard let worker = await launch(configuration, priority) else {
      memory?.release(configuration.run)
      expectations[key]?.budget.recordFailure(at: .now)
      return
    }
    let standby = Standby(
      kind: .spare,
      run: worker.run,
      pid: worker.pid,
      name: "spare-\(agent)",
      model: key.template.model?.path,
      log: worker.log,
      launched: launched
    )
    let spare = Spare(worker: worker, priority: priority, standby: standby)
    if expectations[key] == nil || isClosed {
      dismiss(spare)
    } else {
      spares[key] = spare
    }
  }

  /// Forks a worker from its agent's template; `nil` where that is impossible.
  private func launch(
    _ configuration: WorkerConfiguration,
    _ priority: CorePriority
  ) async -> WorkerHandle? {
    guard let template = await templates.template(for: configuration, isAhead: true) else {
      return nil
    }
    let spare = try? await supervisor.fork(
      configuration.toFork,
      log: "\(logs)/\(configuration.run).log",
      of: template,
      priority: priority
    )
    if spare == nil { sandbox?.removeScratch(of: configuration.run) }
    return spare
  }

  /// Forgets earlier versions of a changed agent.
  ///
  /// - Returns: Whether there were any.
  private func forgetOthers(replacedBy key: Key) -> Bool {
    let others = expectations.keys.filter { key.template.replaces($0.template) }
    for other in others { forget(other) }
    return !others.isEmpty
  }

  private func forget(_ key: Key) {
    expectations[key] = nil
    if let spare = spares.removeValue(forKey: key) { dismiss(spare) }
  }

  private func dismiss(_ spare: Spare) {
    leaving.append(spare)
    // Unstructured: its end is noticed by `replenish`.
    Task { await spare.worker.end(by: .retire) }
  }

  /// Ends the oldest spare, because others need its memory.
  ///
  /// - Returns: Whether there was one; it has ended by then.
  func retireOne() async -> Bool {
    let oldest = spares.min { $0.value.standby.launched < $1.value.standby.launched }
    guard let (key, spare) = oldest else { return false }
    spares[key] = nil
    leaving.append(spare)
    await spare.worker.end(by: .retire)
    return true
  }

  private func removeEnded() {
    for (key, spare) in spares where spare.worker.hasEnded {
      spares[key] = nil
      leaving.append(spare)
      expectations[key]?.budget.recordFailure(at: .now)
    }
    leaving.removeAll(where: \.worker.hasEnded)
  }

  func living() -> [Standby] {
    (spares.values + leaving).filter { !$0.worker.hasEnded }.map { spare in
      var standby = spare.standby
      standby.isReady = spare.worker.hasRehearsed
      standby.progress = spare.worker.progress
      return standby
    }
  }

  /// Stops making spares.
  func close() {
    isClosed = true
    expectations = [:]
  }
}
