package import Coordination
import Foundation
package import Logging
package import Plugins
import Supervision
import Transcripts

/// The agents of a folder for Coordination, recompiled when they have changed.
package actor PluginCatalog: AgentCatalog {
  private let store: PluginStore
  private let settings: CoordinatorSettings
  private let logger: Logger
  /// What the last search for agents found.
  private var found: [PluginStore.Plugin] = []
  /// Why the last search for agents failed.
  private var trouble: String?
  private var names = NameRegistry()
  /// What was found about namesakes the last time.
  private var clashes: [Finding] = []

  package init(
    _ store: PluginStore,
    settings: CoordinatorSettings,
    logger: Logger
  ) {
    self.store = store
    self.settings = settings
    self.logger = logger
  }

  /// Compiles what has changed, reports problems, and ensures that some agent can begin.
  /// - Returns: The available agents.
  package func prepare() async throws -> [PluginStore.Plugin] {
    let plugins = try await refresh()
    for finding in Validation.findings(in: plugins) { logger.notice("\(finding)") }
    guard !plugins.isEmpty else { throw CoordinatorError.noAgents(settings.agents) }
    let names = plugins.map(\.description.name).sorted()
    try Self.check(beginner: settings.beginner, among: names)
    for name in settings.grants.strangers(among: names) {
      logger.notice("--allow names '\(name)', but there is no such agent yet.")
    }
    return plugins
  }

  /// Checks that the agent named to begin exists.
  package static func check(beginner: String?, among names: [String]) throws(CoordinatorError) {
    guard let beginner, !names.contains(beginner) else { return }
    throw .noSuchAgent(beginner, known: names)
  }

  /// How far the compilation has come that is under way; `nil` when none is.
  package nonisolated var compilation: Compilation? { store.compilation }

  package func plugins() async throws -> [PluginStore.Plugin] { try await refresh() }

  /// Compiles what has changed and returns one agent of each name.
  private func refresh() async throws -> [PluginStore.Plugin] {
    let (logger, folder) = (logger, settings.agents)
    let all = try await store.refresh { logger.notice("\($0.note(of: folder))") }
    let (plugins, findings) = names.register(all)
    // Reported once, and not before every turn.
    for finding in findings where !clashes.contains(finding) { logger.notice("\(finding)") }
    clashes = findings
    found = plugins
    // What is allowed to an agent without being named is known only now.
    for plugin in plugins {
      settings.resolve((try? settings.grants.permissions(of: plugin.description)) ?? [])
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
        logger.notice("\(reason)")
      }
      return []
    }
  }

  package func agent(named name: String) async -> LaunchableAgent? {
    guard let plugin = await current().first(where: { $0.description.name == name }) else {
      return nil
    }
    return LaunchableAgent(
      name: name,
      plugin: plugin.library,
      model: settings.model,
      contextSize: settings.contextSize,
      launcher: settings.launcher.name,
      declaration: plugin.description,
      key: plugin.key
    )
  }

  package func problem(of name: String) async -> String? { await store.problem(of: name) }

  /// Returns the named beginner, or the first agent by name that no other phones.
  ///
  /// It must exist, because the beginner may be given a baton for good.
  package func beginner() async -> String? { beginner(among: await current()) }

  /// The agents that the last search found, by name.
  var summaries: [AgentSummary] {
    let beginner = beginner(among: found)
    let agents = found.map(\.description)
    return agents.sorted { $0.name < $1.name }.map { agent in
      AgentSummary(
        name: agent.name,
        description: agent.description,
        contextSize: settings.contextSize,
        isBeginner: agent.name == beginner,
        takesClientTools: agent.takesClientTools,
        permissions: agent.reachablePermissions(among: agents)
      )
    }
  }

  private func beginner(among plugins: [PluginStore.Plugin]) -> String? {
    let phoned = Set(plugins.flatMap(\.description.friends))
    let names = plugins.map(\.description.name).sorted()
    if let beginner = settings.beginner, names.contains(beginner) { return beginner }
    return names.first { !phoned.contains($0) } ?? names.first
  }
}

extension AgentDescription {
  /// The permissions of the agent and of all that its turns can reach, each once.
  func reachablePermissions(among agents: [AgentDescription]) -> [Permission] {
    var (reached, open) = ([self], [self])
    while let agent = open.popLast() {
      let next = agents.filter { other in
        (agent.batons + agent.friends).contains(other.name)
          && !reached.contains { $0.name == other.name }
      }
      reached += next
      open += next
    }
    var permissions: [Permission] = []
    for permission in reached.flatMap(\.permissions) where !permissions.contains(permission) {
      permissions.append(permission)
    }
    return permissions
  }
}
