import Coordination
import Supervision
import Transcripts
import Wire

/// Adapts the roster to Coordination's view of workers.
struct LocalWorkers: Workers {
  let roster: Roster
  let catalog: PluginCatalog
  let settings: CoordinatorSettings

  /// Builds the configuration that tells a worker what it is to be.
  /// - Throws: `Allowance.Missing` when the agent needs what nobody has allowed.
  static func configuration(
    _ agent: LaunchableAgent,
    run: RunID,
    _ settings: CoordinatorSettings
  ) throws(Allowance.Missing) -> WorkerConfiguration {
    var permissions: [Permission] = []
    if settings.sandbox != .off, let declaration = agent.declaration {
      permissions = try settings.allowance.permissions(of: declaration)
    }
    return WorkerConfiguration(
      run: run,
      plugin: agent.plugin,
      model: agent.model,
      projector: settings.projector,
      contextSize: agent.contextSize,
      snapshots: settings.folders.snapshots(of: agent.key),
      agent: agent.declaration,
      confinement: settings.fixed(Confinement(mode: settings.sandbox, permissions: permissions))
    )
  }

  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchWait) -> Void
  ) async throws -> any WorkerLink {
    let log = settings.folders.log(of: run.description)
    let configuration = try Self.configuration(agent, run: run, settings)
    let worker = try await roster.launch(configuration, log: log) { onWait(LaunchWait($0)) }
    // Nobody waits for this.
    if agent.declaration?.friends.isEmpty == false { Task { await expectFriends(of: agent) } }
    return LocalWorker(worker: worker)
  }

  /// Keeps a worker ready for each friend that an agent can phone, because it is likely to.
  func expectFriends(of agent: LaunchableAgent) async {
    for name in agent.declaration?.friends ?? [] {
      guard let friend = await catalog.agent(named: name),
        let configuration = try? Self.configuration(friend, run: .new(agent: name), settings)
      else { continue }
      await roster.expect(configuration)
    }
  }
}

private struct LocalWorker: WorkerLink {
  let worker: WorkerHandle

  var log: String { worker.log }
  var run: RunID { worker.run }
  var pid: Int32 { worker.pid }
  var events: AsyncStream<WorkerEvent> { worker.events }
  var memory: Int? { ProcessMemory.proportional(of: worker.pid) }

  func send(_ message: ToWorker) throws { try worker.send(message) }
  func kill(_ cause: Death.Cause) { worker.terminate(reason: cause) }

  func retire() async -> Bool {
    await worker.end(by: .retire)
    return worker.hasEnded
  }
}
