import AgentKit
import Coordination
import Foundation
import Plugins

/// The agents of a folder, as Coordination asks for them: compiled anew when they have changed.
actor PluginCatalog: AgentCatalog {
  private let store: PluginStore
  private let settings: CoordinatorSettings
  private let note: @Sendable (String) -> Void
  /// Why the agents could not be looked for the last time.
  private var trouble: String?

  init(
    _ store: PluginStore,
    settings: CoordinatorSettings,
    note: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.settings = settings
    self.note = note
  }

  /// Compiles what has changed, says what is wrong, and makes sure that somebody can begin.
  /// - Returns: The agents that there are.
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

  /// Makes sure that the agent is there that was to begin, if one was named.
  static func check(beginner: String?, among names: [String]) throws(CommandError) {
    guard let beginner, !names.contains(beginner) else { return }
    throw .noSuchAgent(beginner, known: names)
  }

  func plugins() async throws -> [PluginStore.Plugin] { try await refresh() }

  private func refresh() async throws -> [PluginStore.Plugin] {
    let (note, folder) = (note, settings.agents)
    return try await store.refresh { note($0.note(of: folder)) }
  }

  /// The agents as they are now, and none where they cannot be looked for.
  ///
  /// Whoever asks hears only that there is no such agent: why not is said here, once and not at every
  /// turn.
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
      launcher: settings.bubblewrap == nil ? "local" : "bubblewrap",
      declaration: plugin.description
    )
  }

  /// The one that was asked for, or the first by name of those that are not there to be phoned.
  ///
  /// Only one that is there: who begins may be given a baton for good.
  func beginner() async -> String? {
    let plugins = await current()
    let phoned = Set(plugins.flatMap(\.description.friends))
    let names = plugins.map(\.description.name).sorted()
    if let beginner = settings.beginner, names.contains(beginner) { return beginner }
    return names.first { !phoned.contains($0) } ?? names.first
  }
}
