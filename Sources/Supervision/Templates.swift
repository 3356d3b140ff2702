import Foundation
import Wire

/// The templates that live now: the program's, one for each model, and one for each agent on it.
///
/// Each is forked from the one before, and workers are forked from their agent's. From the program's,
/// which has only begun, whatever else is forked that would be started from nothing. One that
/// dies is made again, within a budget. Where a template cannot be had, a worker is started from
/// nothing: slower, and no less right.
actor Templates {
  /// One template, from the moment that somebody wants it.
  private struct Entry {
    let run: RunID
    /// What an agent's template is for; `nil` for one that has no agent.
    let agent: Hello?
    let demand: Demand
    let making: Task<Worker?, Never>
    /// Who waits for it, and has had memory kept for it; `nil` as long as nobody does.
    var payer: RunID?
    /// Whether that memory is its own.
    var hasMemory = false
    var worker: Worker?
    var status: Standby?
    var lastUse = ContinuousClock.now
  }

  typealias Launcher = @Sendable (Hello, Worker?, Demand) async throws -> Worker

  private static let finishPatience = Duration.seconds(1)

  private let pump: Pump
  private let cores: (any CoreArbiter)?
  private let memory: Memory?
  private let lives: AsyncStream<StandbyLife>.Continuation
  private let idleTime: Duration
  private let launch: Launcher
  private var entries: [TemplateKey: Entry] = [:]
  private var budgets: [TemplateKey: RestartBudget] = [:]
  private var followers: [RunID: Task<Void, Never>] = [:]
  private var isClosed = false

  /// - Parameters:
  ///   - idleTime: How long a template that nobody uses is kept.
  ///   - launch: Starts a process that is to become a template: a fork of another template when one is
  ///     given.
  init(
    pump: Pump,
    cores: (any CoreArbiter)?,
    memory: Memory?,
    lives: AsyncStream<StandbyLife>.Continuation,
    idleTime: Duration,
    launch: @escaping Launcher
  ) {
    self.pump = pump
    self.cores = cores
    self.memory = memory
    self.lives = lives
    self.idleTime = idleTime
    self.launch = launch
  }

  /// The template from which a worker can be forked; `nil` when there is none to be had.
  /// - Parameter isAhead: Whether nobody waits for the worker yet.
  func template(for hello: Hello, isAhead: Bool = false) async -> Worker? {
    guard let key = TemplateKey(hello) else { return nil }
    let agent = key.plugin == nil ? nil : hello
    return await worker(for: key, of: agent, wantedBy: isAhead ? nil : hello.run)
  }

  /// The program's template, for a worker that has no other to be forked from; `nil` where that has to
  /// be started from nothing.
  func program() async -> Worker? {
    await worker(for: .program, of: nil, wantedBy: nil)
  }

  /// What a worker needs of the memory now, with the templates that have to be made before it.
  func needs(for hello: Hello) -> [MemoryNeed] {
    guard let key = TemplateKey(hello) else { return [MemoryNeed(alone: hello)] }
    let missing = key.line.prefix { key in
      // For one that is begun ahead memory is kept when its turn comes: by who waits for it then.
      entries[key].map { !$0.hasMemory && $0.payer == nil } ?? true
    }
    // Without the program's, a model's is started from nothing.
    guard missing.allSatisfy({ isAllowed($0) || $0 == .program && $0 != key }) else {
      return [MemoryNeed(alone: hello)]
    }
    return missing.map(MemoryNeed.init(template:)) + [MemoryNeed(fork: key)]
  }

  /// - Parameters:
  ///   - agent: Says what an agent's template is for; `nil` for one that has no agent.
  ///   - worker: Who waits for it, and has had memory kept for it; `nil` where nobody does.
  private func worker(
    for key: TemplateKey,
    of agent: Hello?,
    wantedBy worker: RunID?
  ) async -> Worker? {
    // Twice, because the first may turn out to have died.
    for _ in 0..<2 {
      if entries[key] == nil, !begin(key, of: agent, wantedBy: worker) { return nil }
      guard let entry = entries[key] else { return nil }
      entries[key]?.lastUse = .now
      // What was begun ahead is waited for now.
      if let worker { raise(key, paidBy: worker) }
      guard let worker = await entry.making.value else { return nil }
      if !worker.hasEnded { return worker }
      if entries[key]?.run == entry.run { entries[key] = nil }
    }
    return nil
  }

  private func raise(_ key: TemplateKey, paidBy worker: RunID?) {
    if let entry = entries[key] {
      if !entry.hasMemory, entry.payer == nil { entries[key]?.payer = worker }
      if !entry.demand.isThere {
        entry.demand.arise()
        cores?.raise(entry.run)
      }
    }
    guard let parent = key.parent else { return }
    // Nobody has paid for what one needs that is there, nor twice for what another waits for.
    raise(parent, paidBy: entries[key]?.hasMemory == true ? nil : entries[key]?.payer)
  }

  /// Begins to make a template; returns false when it has failed too often.
  private func begin(_ key: TemplateKey, of agent: Hello?, wantedBy worker: RunID?) -> Bool {
    guard !isClosed, isAllowed(key) else { return false }
    for other in entries.keys where key.replaces(other) { retire(other) }
    let run = RunID.new(agent: key.name)
    let demand = Demand(worker != nil)
    // A task, so that all who want it wait for one and the same.
    let making = Task { await self.make(key, of: agent, run, demand) }
    entries[key] = Entry(run: run, agent: agent, demand: demand, making: making, payer: worker)
    return true
  }

  /// Whether it has not failed too often.
  private func isAllowed(_ key: TemplateKey) -> Bool { budgets[key]?.allows(at: .now) ?? true }

  private func make(
    _ key: TemplateKey,
    of agent: Hello?,
    _ run: RunID,
    _ demand: Demand
  ) async -> Worker? {
    var parent: Worker?
    if let before = key.parent {
      parent = await worker(for: before, of: nil, wantedBy: payer(of: run, key))
      // One that was started from nothing would load the model, and memory is kept for a fork.
      if parent == nil, key.plugin != nil { return giveUp(key, run) }
    }
    do {
      try keepMemory(for: run, key)
    } catch {
      return giveUp(key, run)
    }
    let launched = Date()
    guard let worker = try? await launch(key.hello(run, of: agent), parent, demand) else {
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
    lives.yield(.began(status))
    if entries[key]?.run == run {
      entries[key]?.worker = worker
      entries[key]?.status = status
    }
    return await follow(worker, key) ? worker : nil
  }

  /// What a template needs is not there now, which says nothing against the template.
  private func giveUp(_ key: TemplateKey, _ run: RunID) -> Worker? {
    if entries[key]?.run == run { entries[key] = nil }
    return nil
  }

  private func keepMemory(for run: RunID, _ key: TemplateKey) throws {
    let need = MemoryNeed(template: key)
    if let payer = payer(of: run, key) {
      memory?.promise(run, need, outOf: payer)
    } else {
      try memory?.admitAhead(run, need)
    }
    if entries[key]?.run == run { entries[key]?.hasMemory = true }
  }

  /// Who waits for a template by now: its launch lasts as long as the making of that.
  private func payer(of run: RunID, _ key: TemplateKey) -> RunID? {
    entries[key].flatMap { $0.run == run ? $0.payer : nil }
  }

  /// Follows a template through its life.
  /// - Returns: Whether it is of use, as soon as that is known.
  private func follow(_ worker: Worker, _ key: TemplateKey) async -> Bool {
    await withCheckedContinuation { continuation in
      let pump = pump
      // It ends with the template.
      followers[worker.run] = Task {
        var waiting: CheckedContinuation<Bool, Never>? = continuation
        for await event in worker.events {
          switch event {
          case .message(.ready):
            self.memory?.weigh(worker.run)
            self.markReady(key, worker.run)
            waiting?.resume(returning: true)
            waiting = nil
          case .message(.forked(let run, let pid)): pump.identify(run.description, as: pid)
          case .message: break
          case .ended(let death): self.end(of: worker.run, key, death)
          }
        }
        waiting?.resume(returning: false)
      }
    }
  }

  private func markReady(_ key: TemplateKey, _ run: RunID) {
    if entries[key]?.run == run { entries[key]?.status?.isReady = true }
  }

  /// A template is gone: one that was of use, and was not told to end, is made again.
  private func end(of run: RunID, _ key: TemplateKey, _ death: Death) {
    followers[run] = nil
    lives.yield(.ended(run, death))
    guard let entry = entries[key], entry.run == run else { return }
    fail(key, run)
    if entry.status?.isReady == true { _ = begin(key, of: entry.agent, wantedBy: nil) }
  }

  private func fail(_ key: TemplateKey, _ run: RunID) {
    guard entries[key]?.run == run else { return }
    entries[key] = nil
    budgets[key, default: RestartBudget()].noteFailure(at: .now)
  }

  /// Ends the templates that nobody has used for long.
  func retireIdle() {
    for (key, entry) in entries where .now - entry.lastUse > idleTime {
      // A model's template stays as long as one that was forked from it: that one may be made again.
      if entries.keys.contains(where: { $0.parent == key }) { continue }
      retire(key)
    }
    budgets = budgets.filter { !$0.value.isUntouched(at: .now) }
  }

  /// Ends the template that has not been used for the longest, of those that have no forks.
  /// - Returns: Whether there was one; it is gone then.
  func retireUnused(wantedBy hellos: [Hello], forkedFrom used: Set<RunID>) async -> Bool {
    let wanted = hellos.compactMap(TemplateKey.init).flatMap(\.line)
    let unused = entries.filter { key, entry in
      entry.status?.isReady == true && !used.contains(entry.run) && !wanted.contains(key)
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
    // Nobody waits for it; its end comes as an event.
    Task { await entry.making.value?.end(by: .retire) }
  }

  /// The templates that live, as processes.
  func living() -> [Standby] {
    entries.values.compactMap { entry in
      entry.worker?.hasEnded == false ? entry.status : nil
    }
  }

  /// Makes no more templates.
  func close() { isClosed = true }

  /// Returns when the ends of all templates have been told, and does not wait for one that never
  /// ends.
  func finish() async {
    let waiting = Array(followers.values)
    let timer = Task {
      try await Task.sleep(for: Self.finishPatience)
      for follower in waiting { follower.cancel() }
    }
    for follower in waiting { await follower.value }
    timer.cancel()
    lives.finish()
  }
}
