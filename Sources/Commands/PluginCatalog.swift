import Coordination
import Foundation
import Plugins
import Supervision
import Transcripts

/// The agents of a folder for Coordination, recompiled when they have changed.
actor PluginCatalog: AgentCatalog {
  private let store: PluginStore
  private let settings: CoordinatorSettings
  private let note: @Sendable (String) -> Void
  /// Why the last search for agents failed.
  private var trouble: String?
  private var incumbents = Incumbents()
  /// What was found about namesakes the last time.
  private var clashes: [Finding] = []

  init(
    _ store: PluginStore,
    settings: CoordinatorSettings,
    note: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.settings = settings
    self.note = note
  }

  /// Compiles what has changed, reports problems, and ensures that some agent can begin.
  /// - Returns: The available agents.
  func prepare() async throws -> [PluginStore.Plugin] {
    let plugins = try await refresh()
    for finding in Validation.findings(in: plugins) { note(finding.description) }
    guard !plugins.isEmpty else { throw CommandError.noAgents(settings.agents) }
    let names = plugins.map(\.description.name).sorted()
    try Self.check(beginner: settings.beginner, among: names)
    for name in settings.allowance.strangers(among: names) {
      note("--allow names '\(name)', but there is no such agent yet.")
    }
    return plugins
  }

  /// Checks that the agent named to begin exists.
  static func check(beginner: String?, among names: [String]) throws(CommandError) {
    guard let beginner, !names.contains(beginner) else { return }
    throw .noSuchAgent(beginner, known: names)
  }

  func plugins() async throws -> [PluginStore.Plugin] { try await refresh() }

  /// Compiles what has changed and returns one agent of each name.
  private func refresh() async throws -> [PluginStore.Plugin] {
    let (note, folder) = (note, settings.agents)
    let all = try await store.refresh { note($0.note(of: folder)) }
    let (plugins, findings) = incumbents.choose(among: all)
    // Reported once, and not before every turn.
    for finding in findings where !clashes.contains(finding) { note(finding.description) }
    clashes = findings
    // What is allowed to an agent without being named is known only now.
    for plugin in plugins {
      settings.follow((try? settings.allowance.permissions(of: plugin.description)) ?? [])
    }
    return plugins
  }

  /// Returns the current agents, or none if they cannot be searched for.
  ///
  /// The caller only learns that there is no such agent; the reason is reported here, once rather
  /// than at every turn.
  private func current() async -> [PluginStore.Plugin] {
    do {
      let plugins = try await refresh()
      trouble = nil
      return plugins
    } catch {
      let reason = "\(error)"
      if !(error is CancellationError), trouble != reason {
        trouble = reason
        note(reason)
      }
      return []
    }
  }

  func agent(named name: String) async -> LaunchableAgent? {
    guard let plugin = await current().first(where: { $0.description.name == name }) else {
      return nil
    }
    return LaunchableAgent(
      name: name,
      description: plugin.description.description,
      plugin: plugin.library,
      model: settings.model,
      contextSize: settings.contextSize,
      launcher: settings.launcher.name,
      declaration: plugin.description,
      key: plugin.key
    )
  }

  func problem(of name: String) async -> String? { await store.problem(of: name) }

  /// Returns the named beginner, or the first agent by name that no other phones.
  ///
  /// It must exist, because the beginner may be given a baton for good.
  func beginner() async -> String? {
    let plugins = await current()
    let phoned = Set(plugins.flatMap(\.description.friends))
    let names = plugins.map(\.description.name).sorted()
    if let beginner = settings.beginner, names.contains(beginner) { return beginner }
    return names.first { !phoned.contains($0) } ?? names.first
  }
}
