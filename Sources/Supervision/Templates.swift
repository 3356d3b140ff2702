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
  }

  /// One template, from the moment that somebody wants it.
  private struct Entry {
    let worker: Task<Worker?, Never>
    var lastUse = ContinuousClock.now
  }

  typealias Launcher = @Sendable (Hello, Worker?) async throws -> Worker

  /// How long a template that nobody uses is kept.
  private static let idleTime = Duration.seconds(600)

  private let pump: Pump
  private let launch: Launcher
  private var entries: [Key: Entry] = [:]

  /// - Parameter launch: Starts a process that is to become a template: a fork of another template
  ///   when one is given.
  init(pump: Pump, launch: @escaping Launcher) {
    self.pump = pump
    self.launch = launch
  }

  /// The template from which a worker can be forked; `nil` when there is none to be had.
  func template(for hello: Hello) async -> Worker? {
    guard let model = hello.model, let plugin = hello.plugin else { return nil }
    let key = Key(
      model: model,
      contextSize: hello.contextSize,
      plugin: plugin,
      snapshots: hello.snapshots
    )
    return await worker(for: key)
  }

  private func worker(for key: Key) async -> Worker? {
    entries[key]?.lastUse = .now
    if let entry = entries[key] {
      let worker = await entry.worker.value
      if let worker, !worker.hasEnded { return worker }
      // It could not be made, or has died: whoever asks next gets another.
      if entries[key]?.worker == entry.worker { entries[key] = nil }
      return nil
    }
    let task = Task { await self.make(key) }
    entries[key] = Entry(worker: task)
    return await task.value
  }

  private func make(_ key: Key) async -> Worker? {
    var parent: Worker?
    if key.plugin != nil {
      parent = await worker(
        for: Key(model: key.model, contextSize: key.contextSize, plugin: nil, snapshots: nil)
      )
    }
    let name = key.plugin.map { URL(filePath: $0).lastPathComponent }?.split(separator: "-").first
    let hello = Hello(
      run: .new(agent: "template-\(name?.lowercased() ?? "model")"),
      role: .template,
      plugin: key.plugin,
      model: key.model,
      contextSize: key.contextSize,
      snapshots: key.snapshots
    )
    guard let worker = try? await launch(hello, parent) else { return nil }
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
