import CSystemCalls
import Coordination
import Foundation
import Journal
package import Logging
import Outposts
import Plugins
import Supervision
import Synchronization
import Telemetry
import Transcripts
import Wire

/// A coordinator: the one place that builds the object graph.
package final class Coordinator: Sendable {
  /// How long the workers of an idle conversation are kept.
  private static let idleTime = Duration.seconds(600)
  /// How often unused files are removed from the cache.
  private static let pruningInterval = Duration.seconds(86_400)
  /// How long workers may take to end by themselves, and clients to read how a turn ended.
  package static let closingPatience = Duration.seconds(1)

  /// The bytes of a journal whose check takes long enough to be announced.
  private static let longCheck = 100_000_000

  package let settings: CoordinatorSettings
  package let logger: Logger
  let sessions: Sessions
  let journal: Journal
  let catalog: PluginCatalog
  let roster: Roster
  let cores: Cores
  let workers: RosterWorkers
  let events: SessionEvents
  package let lock: StateLock
  let telemetry: CoordinatorTelemetry
  private let upkeep: Task<Void, Never>
  private let listening = Mutex<String?>(nil)
  private let (stops, stopped) = AsyncStream<Void>.makeStream()

  /// Opens the journal and compiles the agents.
  ///
  /// No worker is started before the first prompt.
  package init(_ settings: CoordinatorSettings, logger: Logger) async throws {
    self.settings = settings
    self.logger = logger
    events = SessionEvents(logger: logger)
    let environment = ProcessInfo.processInfo.environment
    let holes = SandboxCheck.holes(in: Confinement(mode: settings.sandbox))
    try SandboxCheck.report(holes, settings.sandbox) { logger.notice("\($0)") }
    try settings.folders.make()
    csystem_raise_descriptors()
    lock = try StateLock(settings.folders)
    // The compiler is located while the journal is being opened.
    async let findingKit = AgentToolchain(beside: Executable.path, environment: environment)
    // Before the journal, for which there may otherwise be no room.
    let pidFiles = Self.sweep(settings.folders, logger)
    let unchecked = Journal.bytesToCheck(at: settings.folders.journal)
    if unchecked > Self.longCheck {
      let megabytes = unchecked / 1_000_000
      logger.notice("Checking the journal (\(megabytes) MB), which was not closed.")
    }
    journal = try Journal(path: settings.folders.journal)
    try await journal.closeApprovals(because: "The coordinator stopped before anyone answered.")
    try await journal.closeRuns(outcome: "lost: its coordinator stopped first")
    try await Self.removeTemporary(journal, settings.folders, logger)
    var kit = try await findingKit
    kit.requiresSandbox = settings.sandbox == .required
    let store = PluginStore(
      folder: settings.agents,
      toolchain: kit,
      cache: settings.folders.plugins
    )
    // Also for agents that do not exist or compile yet.
    settings.resolve(settings.grants.named)
    catalog = PluginCatalog(store, settings: settings, logger: logger)
    let plugins = try await catalog.prepare()
    let policy = try Self.sandbox(settings, plugins, besides: holes, logger)
    cores = Cores(Machine.cores())
    let eventLoop = try ChildEventLoop()
    roster = try Roster(
      executable: kit.worker,
      isReplaced: { [kit] in kit.isWorkerReplaced },
      launcher: settings.launcher,
      templateLogs: settings.folders.logs,
      cores: cores,
      memory: MemoryQueue(gauge: MachineMemory()),
      sandbox: policy,
      pidFiles: pidFiles,
      eventLoop: eventLoop
    )
    telemetry = try await CoordinatorTelemetry(settings.telemetry, journal, logger: logger)
    let roster = roster
    let servers = MCPServerPool(
      settings,
      starter: ServerStarter(
        eventLoop: eventLoop,
        launcher: settings.launcher,
        executable: kit.worker,
        sandbox: policy,
        pidFiles: pidFiles
      ) { [folders = settings.folders] in folders.log(of: $0.description) },
      environment: environment,
      logger: logger
    )
    let hosts = try OutpostPool(settings, kit, policy, eventLoop, environment, logger: logger)
    workers = RosterWorkers(
      roster: roster,
      catalog: catalog,
      servers: servers,
      hosts: hosts,
      cores: cores,
      settings: settings
    )
    let sessions = Sessions(
      journal: journal,
      workers: workers,
      catalog: catalog,
      servers: servers,
      cores: cores,
      hostLease: OutpostTimeouts.standard.leaseWithMargin,
      tracing: CoordinatorTelemetry.tracing(settings.telemetry)
    )
    self.sessions = sessions
    await roster.retireIdleWorkers { await sessions.retireIdleWorkers() }
    // Unstructured: lives as long as the coordinator, which cancels it when it closes.
    upkeep = Task { [catalogStore = store, hosts, workers] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await roster.watch() }
        group.addTask { await hosts.watch() }
        group.addTask { await sessions.watchCores() }
        // The cache can be made again, so its removal has no hurry.
        group.addTask(priority: .utility) {
          let prefixes = PrefixFolders(path: settings.folders.snapshots)
          repeat {
            catalogStore.removeUnused()
            prefixes.prune(sparing: await roster.prefixFolders)
          } while (try? await Task.sleep(for: Self.pruningInterval)) != nil
        }
        group.addTask {
          let logs = LogFolder(path: settings.folders.logs)
          repeat {
            let own = await workers.ownRuns
            logs.prune(living: await roster.living.union(own).union(await hosts.living))
            let deleted = await sessions.retireWorkers(idleFor: Self.idleTime)
            _ = logs.remove(of: Set(deleted), sparing: own)
          } while (try? await Task.sleep(for: .seconds(30))) != nil
        }
      }
    }
  }

  /// Ends and removes what a killed coordinator has left behind.
  private static func sweep(_ folders: Folders, _ logger: Logger) -> PIDFiles {
    let pidFiles = PIDFiles(folder: folders.processes)
    let pids = pidFiles.killSurvivors()
    if !pids.isEmpty {
      let words = pids.map(String.init).joined(separator: ", ")
      logger.notice("Stopped processes that an earlier coordinator left behind: pid \(words).")
    }
    // No worker with a folder in it lives any more.
    csystem_remove(folders.scratch)
    return pidFiles
  }

  /// Deletes the temporary sessions whose coordinator ended before their turns did.
  ///
  /// One that cannot be deleted does not keep the coordinator from starting.
  static func removeTemporary(
    _ journal: Journal,
    _ folders: Folders,
    _ logger: Logger
  ) async throws {
    let logs = LogFolder(path: folders.logs)
    let outputs = OutputStore(folder: folders.outputs)
    for name in try await JournalReader(journal).temporarySessions() {
      do {
        let runs = try await journal.remove(name, compacts: false).runs
        _ = logs.remove(of: Set(runs))
        outputs.remove(session: name)
      } catch let error as SessionError {
        logger.warning("the temporary session '\(name)' is not deleted: \(error)")
      }
    }
  }

  /// Returns how workers are confined, as far as the kernel allows; says once what it does not.
  /// - Parameter known: What has been said already.
  private static func sandbox(
    _ settings: CoordinatorSettings,
    _ plugins: [PluginStore.Plugin],
    besides known: [String],
    _ logger: Logger
  ) throws -> SandboxPolicy {
    var permissions: Set<Permission> = []
    if settings.sandbox != .off {
      for plugin in plugins {
        do throws(PermissionGrants.Missing) {
          for permission in try settings.grants.permissions(of: plugin.description) {
            // A template could not open it for its forks. Without it, this agent's workers are
            // started from nothing, and refuse until it exists.
            if let path = permission.path, access(path, F_OK) != 0 {
              let name = plugin.description.name
              logger.notice("\(path), which the agent '\(name)' needs, does not exist.")
            } else {
              permissions.insert(permission)
            }
          }
        } catch {
          logger.notice("\(error)")
        }
      }
    }
    let templates = Confinement(
      mode: settings.sandbox,
      scratch: settings.folders.scratch,
      plugins: settings.folders.plugins,
      snapshots: settings.folders.snapshots,
      permissions: Array(permissions)
    )
    let policy = SandboxPolicy(templates: settings.resolved(templates))
    // What agents are allowed may need more of the kernel.
    let holes = SandboxCheck.holes(in: policy.templates).filter { !known.contains($0) }
    try SandboxCheck.report(holes, settings.sandbox) { logger.notice("\($0)") }
    return policy
  }

  /// The network address on which it is served; `nil` for none.
  package var address: String? {
    get { listening.withLock { $0 } }
    set { listening.withLock { $0 = newValue } }
  }

  /// Asks the process that serves to end all turns, and to end.
  func stop() { stopped.yield() }

  /// Returns when the coordinator is asked to stop.
  package func stopRequested() async { for await _ in stops { return } }

  package func endTurns() async {
    Notify.stopping()
    // Conversations dismiss their workers; one that does not react is killed.
    let (sessions, roster, hosts) = (sessions, roster, workers.hosts)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await sessions.close() }
      group.addTask {
        guard (try? await Task.sleep(for: Self.closingPatience)) != nil else { return }
        await roster.close()
        await hosts.close()
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Ends everything that the coordinator owns.
  package func close() async {
    await endTurns()
    await workers.servers.close()
    await roster.close()
    await workers.hosts.close()
    upkeep.cancel()
    await telemetry.close(within: Self.closingPatience)
    // Nothing that is still open holds anything that is not on disk.
    try? journal.close()
    lock.release()
  }
}

/// Supervision decides which worker computes; Coordination shows who waits.
extension Cores: CoreSchedule {}

extension Permission {
  /// The path of a permission to access or run files.
  fileprivate var path: String? {
    switch self {
    case .network: nil
    case .reading(let path), .writing(let path), .running(let path): path
    }
  }
}
