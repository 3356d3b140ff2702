import Foundation
package import Wire

/// All living workers: starts them, watches them and ends them.
package actor Roster {
  private let pump: Pump
  let starter: Starter
  private let heartbeat: Heartbeat
  let patience: Patience
  let logs: String?
  private let cores: (any CoreArbiter)?
  let memory: MemoryQueue?
  let sandbox: SandboxPolicy?
  private let excess: ExcessWatch?
  private let leftovers: Leftovers?
  private let kills = OutOfMemoryKills()
  private var entries: [RunID: Entry] = [:]
  /// Launches that rely on a template.
  var forking: [RunID: Hello] = [:]
  private var retireIdle: (@Sendable () async -> Bool)?
  var isClosed = false
  lazy var templates = Templates(
    pump: pump,
    cores: cores,
    memory: memory,
    idleTime: patience.idle
  ) { hello, parent, demand in
    let log = self.log(of: hello.run)
    if let parent, let fork = try await self.fork(hello, log: log, of: parent, demand: demand) {
      return fork
    }
    // If the model's template did not fork, stop: memory is reserved only for a fork.
    guard hello.plugin == nil else { throw LaunchError.system(call: "fork", code: ECHILD) }
    return try await self.launch(hello, log: log, from: nil, demand: demand)
  }
  lazy var spares = Spares(
    cores: cores,
    memory: memory,
    idleTime: patience.idle
  ) { hello, demand in
    let template = await self.templates.template(for: hello, isAhead: true)
    guard let template else { return nil }
    let spare = try? await self.fork(
      hello.toFork,
      log: self.log(of: hello.run),
      of: template,
      demand: demand
    )
    if spare == nil { self.sandbox?.discard(hello.run) }
    return spare
  }

  /// - Parameters:
  ///   - isReplaced: Whether another build has taken the place of the executable, which is not
  ///     started then.
  ///   - templateLogs: The folder for the logs of templates. Without one there are no templates,
  ///     and every worker is started from scratch.
  ///   - cores: Decides who may compute; without it everybody may.
  ///   - memory: Decides who may start; without it everybody may.
  ///   - sandbox: How workers are confined; without it their hello decides.
  ///   - bubblewrap: The launcher for workers; without it they are started directly.
  ///   - leftovers: Records living processes for the next coordinator.
  package init(
    executable: String,
    isReplaced: @escaping @Sendable () -> Bool = { false },
    patience: Patience = Patience(),
    templateLogs: String? = nil,
    cores: (any CoreArbiter)? = nil,
    memory: MemoryQueue? = nil,
    sandbox: SandboxPolicy? = nil,
    bubblewrap: Bubblewrap? = nil,
    leftovers: Leftovers? = nil
  ) throws {
    self.patience = patience
    self.sandbox = sandbox
    excess = sandbox.map { ExcessWatch($0.limit, prefixes: $0.prefixLimit) }
    self.leftovers = leftovers
    logs = templateLogs
    self.cores = cores
    self.memory = memory
    pump = try Pump()
    heartbeat = Heartbeat(pump: pump, patience: patience)
    starter = Starter(
      pump: pump,
      executable: executable,
      isReplaced: isReplaced,
      bubblewrap: bubblewrap,
      forkPatience: patience.fork
    )
  }

  /// Starts a worker and sends it a hello; a fork of its agent's template where there is one.
  ///
  /// If a spare is available, it becomes the worker, and its run differs from the hello's.
  ///
  /// - Parameter onWait: Called while the launch waits for memory.
  /// - Throws: `LaunchError`; `MemoryShortage`; `CancellationError` when the task was cancelled
  ///   before there was a process.
  package func launch(
    _ hello: Hello,
    log: String,
    onWait: @escaping MemoryQueue.WaitHandler = { _ in }
  ) async throws -> Worker {
    if let spare = await spares.take(for: hello) { return spare }
    do {
      if let worker = try await fork(hello, log: log, onWait) { return worker }
      try await admit(hello, onWait) { .alone(hello) }
      if canFork, let program = await templates.program() {
        try Task.checkCancellation()
        if let worker = try await fork(hello, log: log, of: program) { return worker }
      }
      return try await launch(hello, log: log, from: nil)
    } catch {
      memory?.release(hello.run)
      sandbox?.discard(hello.run)
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
    _ hello: Hello,
    _ onWait: MemoryQueue.WaitHandler,
    need: @Sendable () async -> MemoryNeed
  ) async throws {
    try await memory?.admit(
      hello.run,
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
    _ hello: Hello,
    log: String,
    from template: Worker?,
    demand: Demand = Demand(true)
  ) async throws -> Worker {
    guard !isClosed else { throw LaunchError.system(call: "launching a worker", code: ESHUTDOWN) }
    var hello = hello
    hello.sharesCores = cores != nil
    hello.silenceLimit = patience.coordinator / .seconds(1)
    hello.memory = Machine.totalMemoryHere
    hello.confinement = try sandbox?.confinement(for: hello) ?? hello.confinement
    let run = hello.run
    let coreLine = cores.map { CoreLine(run, arbiter: $0, demand: demand) }
    let (isFork, model, prefixes) = (template != nil, hello.model, hello.snapshots)
    let isModelLoaded = template.flatMap { entries[$0.run]?.model } == model
    // No template runs an agent's code.
    let startsPrograms =
      starter.bubblewrap != nil
      || hello.role == .worker && hello.confinement?.keepsToItself != true
    let line = WorkerLine(
      log: WorkerLog(path: log),
      isFork: isFork,
      loadGrowth: Patience.growth(for: hello, isModelLoaded: isModelLoaded),
      cores: coreLine,
      kills: kills,
      onGreeting: { [pump] greeting in
        if isFork { pump.identify(run.description, as: greeting.pid) }
      },
      onReady: { [memory] in memory?.becameReady(run) },
      onEnd: { [memory] in memory?.release(run) }
    )
    let pid = try await starter.start(hello, from: template) { line.take($0) }
    memory?.began(run, pid: pid)
    leftovers?.note(run, pid: pid)
    let worker = Worker(run: run, pid: pid, log: log, pump: pump, line: line)
    // The launch suspended this actor, which may have been closed in the meantime.
    guard !isClosed else {
      await worker.end(by: .kill)
      leftovers?.forget(run)
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
    try worker.send(.hello(hello))
    return worker
  }

  /// Pings every worker periodically until the task is cancelled, and kills those that do not
  /// answer.
  package func watch() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: patience.heartbeat)
      cores?.resize(to: Machine.cores())
      kills.sample()
      if logs != nil {
        await templates.retireIdle()
        // A separate task, because a fork may take long and must not delay the heartbeats.
        Task { await spares.tend() }
      }
      for (run, entry) in entries where entry.worker.hasEnded {
        entries[run] = nil
        sandbox?.discard(run)
        leftovers?.forget(run)
      }
      heartbeat.beat(on: entries.values.map(\.worker))
      excess?.look(
        at: entries.map { run, entry in entry.place(scratch: sandbox?.folder(of: run)) }
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
      sandbox?.discard(worker.run)
      if worker.hasEnded { leftovers?.forget(worker.run) }
    }
    await SandboxPolicy.finishDiscarding()
  }
}
