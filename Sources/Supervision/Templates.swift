import Foundation
import Wire

/// The templates that live now: one for each model, and one for each agent on it.
///
/// An agent's template is forked from its model's, and workers are forked from the agent's. Where a
/// template cannot be had, a worker is started from nothing: slower, and no less right.
actor Templates {
  /// What a template has done.
  struct Key: Hashable, Sendable {
    let model: String
    let contextSize: Int?
    let plugin: String?
    /// Where the agent's prefixes are kept; a model's template has none.
    let snapshots: String?

    /// The template that this one is forked from.
    var parent: Key? {
      plugin.map { _ in
        Key(model: model, contextSize: contextSize, plugin: nil, snapshots: nil)
      }
    }
  }

  /// One template, from the moment that somebody wants it.
  private struct Entry {
    let run: RunID
    let demand: Demand
    let worker: Task<Worker?, Never>
    var lastUse = ContinuousClock.now
  }

  typealias Launcher = @Sendable (Hello, Worker?, Demand) async throws -> Worker

  /// How long a template that nobody uses is kept.
  private static let idleTime = Duration.seconds(600)

  private let pump: Pump
  private let cores: (any CoreSharing)?
  private let launch: Launcher
  private var entries: [Key: Entry] = [:]

  /// - Parameter launch: Starts a process that is to become a template: a fork of another template
  ///   when one is given.
  init(pump: Pump, cores: (any CoreSharing)?, launch: @escaping Launcher) {
    self.pump = pump
    self.cores = cores
    self.launch = launch
  }

  /// The template from which a worker can be forked; `nil` when there is none to be had.
  /// - Parameter isAhead: Whether nobody waits for the worker yet.
  func template(for hello: Hello, isAhead: Bool = false) async -> Worker? {
    guard let model = hello.model, let plugin = hello.plugin else { return nil }
    let key = Key(
      model: model,
      contextSize: hello.contextSize,
      plugin: plugin,
      snapshots: hello.snapshots
    )
    return await worker(for: key, of: hello, isAhead: isAhead)
  }

  /// - Parameter agent: Says what an agent's template is for; `nil` for a model's.
  private func worker(for key: Key, of agent: Hello?, isAhead: Bool) async -> Worker? {
    entries[key]?.lastUse = .now
    if let entry = entries[key] {
      // What was begun ahead is waited for now.
      if !isAhead { raise(key) }
      let worker = await entry.worker.value
      if let worker, !worker.hasEnded { return worker }
      // It could not be made, or has died: whoever asks next gets another.
      if entries[key]?.run == entry.run { entries[key] = nil }
      return nil
    }
    let name = key.plugin.map { URL(filePath: $0).lastPathComponent }?.split(separator: "-").first
    let run = RunID.new(agent: "template-\(name?.lowercased() ?? "model")")
    let demand = Demand(!isAhead)
    let task = Task { await self.make(key, of: agent, run, demand) }
    entries[key] = Entry(run: run, demand: demand, worker: task)
    return await task.value
  }

  private func raise(_ key: Key) {
    if let entry = entries[key], !entry.demand.isThere {
      entry.demand.arise()
      cores?.raise(entry.run)
    }
    if let parent = key.parent { raise(parent) }
  }

  private func make(
    _ key: Key,
    of agent: Hello?,
    _ run: RunID,
    _ demand: Demand
  ) async -> Worker? {
    var parent: Worker?
    if let model = key.parent {
      parent = await worker(for: model, of: nil, isAhead: !demand.isThere)
    }
    let hello = Hello(
      run: run,
      role: .template,
      plugin: key.plugin,
      model: key.model,
      contextSize: key.contextSize,
      snapshots: key.snapshots,
      agent: agent?.agent,
      confinement: agent?.confinement
    )
    guard let worker = try? await launch(hello, parent, demand) else { return nil }
    return await isReady(worker) ? worker : nil
  }

  /// Follows a template through its life; returns as soon as it is known whether it is of use.
  private func isReady(_ worker: Worker) async -> Bool {
    await withCheckedContinuation { continuation in
      let pump = pump
      // It ends with the template.
      Task {
        var waiting: CheckedContinuation<Bool, Never>? = continuation
        for await event in worker.events {
          switch event {
          case .message(.ready):
            waiting?.resume(returning: true)
            waiting = nil
          case .message(.forked(let run, let pid)): pump.adopt(run.description, pid: pid)
          case .message: break
          case .ended: pump.abandonForks(of: worker.pid)
          }
        }
        waiting?.resume(returning: false)
      }
    }
  }

  /// Ends the templates that nobody has used for long.
  func retireIdle() async {
    for (key, entry) in entries where .now - entry.lastUse > Self.idleTime {
      // A model's template stays as long as an agent's that was forked from it may be made again.
      guard key.plugin != nil || entries.count == 1 else { continue }
      entries[key] = nil
      let task = entry.worker
      Task { await task.value?.end(by: .retire) }
    }
  }

  /// The templates that are ready, as processes.
  func workers() async -> [Worker] {
    var ready: [Worker] = []
    for entry in entries.values {
      if let worker = await entry.worker.value, !worker.hasEnded { ready.append(worker) }
    }
    return ready
  }
}
