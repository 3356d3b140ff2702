package import AgentKit
import Foundation

/// The agents of a folder, compiled.
package actor PluginStore {
  /// An agent that can be run.
  package struct Plugin: Sendable, Equatable {
    package let source: String
    package let library: String
    package let description: AgentDescription
  }

  /// What is told about an agent while it is prepared.
  package enum Report: Sendable, Equatable {
    case compiling(String)
    /// The compiler's own words. `keepsOld` says that the last plugin that compiled stays in use.
    case failed(String, output: String, keepsOld: Bool)
  }

  private let folder: String
  private let compiler: PluginCompiler
  private var plugins: [Plugin] = []
  private var failures: [String: String] = [:]
  private var refreshing: Task<[Plugin], any Error>?

  package init(folder: String, kit: Kit, cache: String) {
    self.folder = folder
    compiler = PluginCompiler(kit: kit, cache: PluginCache(folder: cache))
  }

  /// Compiles what has changed, and returns all agents that can be run, by source.
  ///
  /// An agent whose source does not compile keeps its last plugin that did.
  @discardableResult
  package func refresh(
    _ report: @escaping @Sendable (Report) -> Void = { _ in }
  ) async throws -> [Plugin] {
    // Whoever asks while a refresh is under way gets that one's result.
    if let refreshing { return try await refreshing.value }
    let task = Task { try await refreshNow(report) }
    refreshing = task
    defer { refreshing = nil }
    return try await task.value
  }

  private func refreshNow(
    _ report: @escaping @Sendable (Report) -> Void
  ) async throws -> [Plugin] {
    let sources = try AgentSource.find(in: folder)
    let compiler = compiler
    let width = ProcessInfo.processInfo.activeProcessorCount
    var outcomes: [(AgentSource, PluginCompiler.Outcome)] = []
    try await withThrowingTaskGroup(of: (AgentSource, PluginCompiler.Outcome).self) { group in
      for (index, source) in sources.enumerated() {
        if index >= width, let outcome = try await group.next() { outcomes.append(outcome) }
        group.addTask {
          if !compiler.isCurrent(source) { report(.compiling(source.name)) }
          return (source, try await compiler.compile(source))
        }
      }
      for try await outcome in group { outcomes.append(outcome) }
    }
    plugins = outcomes.sorted { $0.0.name < $1.0.name }.compactMap { source, outcome in
      plugin(of: source, outcome, report)
    }
    return plugins
  }

  private func plugin(
    of source: AgentSource,
    _ outcome: PluginCompiler.Outcome,
    _ report: (Report) -> Void
  ) -> Plugin? {
    switch outcome {
    case .compiled(let library, let description, _):
      failures[source.name] = nil
      return Plugin(source: source.name, library: library, description: description)
    case .failed(let output):
      let last = compiler.cache.last(of: source, kit: compiler.kit)
      // The same failure is told once, and not before every turn.
      if failures.updateValue(output, forKey: source.name) != output {
        report(.failed(source.name, output: output, keepsOld: last != nil))
      }
      guard let last, let description = PluginCompiler.description(at: last.descriptionFile) else {
        return nil
      }
      return Plugin(source: source.name, library: last.library, description: description)
    }
  }

  /// The compiler's words about the agents that do not compile now.
  package var currentFailures: [String: String] { failures }
}
