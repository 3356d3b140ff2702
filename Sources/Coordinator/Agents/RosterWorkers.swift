package import Coordination
package import Supervision
import Transcripts
package import Wire

/// Adapts the roster to Coordination's view of workers.
package struct RosterWorkers: Workers {
  package let roster: Roster
  package let catalog: PluginCatalog
  package let servers: MCPServerPool
  let hosts: OutpostPool
  /// The cores that the workers of this machine share.
  let cores: Cores
  package let settings: CoordinatorSettings

  /// The runs whose logs belong to no session: those of the coordinator, of servers and of launchers.
  var ownRuns: Set<RunID> {
    get async {
      await servers.runs.union(await hosts.launchers).union([RunID(Folders.coordinatorLog)])
    }
  }

  /// Builds the configuration that tells a worker what it is to be.
  /// - Throws: `PermissionGrants.Missing` when the agent needs what was not granted.
  package static func configuration(
    _ agent: LaunchableAgent,
    run: RunID,
    _ settings: CoordinatorSettings
  ) throws(PermissionGrants.Missing) -> WorkerConfiguration {
    var permissions: [Permission] = []
    if settings.sandbox != .off, let declaration = agent.declaration {
      permissions = try settings.grants.permissions(of: declaration)
    }
    return WorkerConfiguration(
      run: run,
      plugin: agent.plugin,
      model: agent.model,
      projector: settings.projector,
      contextSize: agent.contextSize,
      snapshots: settings.folders.snapshots(of: agent.key),
      agent: agent.declaration,
      confinement: settings.resolved(Confinement(mode: settings.sandbox, permissions: permissions))
    )
  }

  /// Adds the tools that the agent takes from MCP servers.
  package func configuration(
    _ agent: LaunchableAgent,
    run: RunID
  ) async throws -> WorkerConfiguration {
    var configuration = try Self.configuration(agent, run: run, settings)
    guard let declaration = agent.declaration, !declaration.servers.isEmpty else {
      return configuration
    }
    configuration.tools = try await servers.tools(for: declaration)
    configuration.agent = declaration.offering(configuration.tools)
    return configuration
  }

  package func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    let configuration = try await configuration(agent, run: run)
    let remote = try await hosts.launch(agent, configuration, home: home, onWait: onWait)
    let link: any WorkerLink
    if let remote { link = remote } else { link = try await launchHere(configuration, onWait) }
    // Unstructured: the launch is over, and the friends are not waited for.
    if agent.declaration?.friends.isEmpty == false {
      Task { await expectFriends(of: agent, on: link.host) }
    }
    return link
  }

  private func launchHere(
    _ configuration: WorkerConfiguration,
    _ onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    let log = settings.folders.log(of: configuration.run.description)
    return try await roster.launch(configuration, log: log) { onWait(.memory(LaunchWait($0))) }
  }

  /// What this machine has left.
  private var home: Placement.LocalCapacity {
    let load = cores.load
    return Placement.LocalCapacity(
      freeCores: load.cores - load.busy - load.waiting,
      freeMemory: MachineMemory().reading?.free
    )
  }

  /// Prepares the template of an agent that is likely to be wanted.
  func prepare(_ agent: LaunchableAgent) async {
    guard let configuration = try? await configuration(agent, run: .new(agent: agent.name)) else {
      return
    }
    if await hosts.expect(agent, configuration, home: home) { await roster.prepare(configuration) }
  }

  /// Keeps a worker ready for each friend that an agent can phone, because it is likely to.
  /// - Parameter host: The host on which the agent runs; `nil` for this machine.
  package func expectFriends(of agent: LaunchableAgent, on host: String? = nil) async {
    for name in agent.declaration?.friends ?? [] {
      guard let friend = await catalog.agent(named: name),
        let configuration = try? await configuration(friend, run: .new(agent: name))
      else { continue }
      if await hosts.expect(friend, configuration, home: home, caller: host) {
        await roster.expect(configuration)
      }
    }
  }
}

extension WorkerHandle: WorkerLink {
  package var memory: Int? { ProcessMemory.proportional(of: pid) }

  package func kill(_ cause: Death.Cause) { terminate(reason: cause) }

  package func retire() async -> Bool {
    await end(by: .retire)
    return hasEnded
  }
}
