import CSystem
import Coordination
import Foundation
import Inspection
import Journal
import Plugins
import Supervision
import Transcripts
import Wire

/// The settings from which a coordinator is made.
struct CoordinatorSettings: Sendable {
  var folders: Folders
  var agents: String
  var model: String?
  var projector: String?
  var contextSize: Int?
  var beginner: String?
  var caps: Caps
  var door: DoorSettings?
  var sandbox: Confinement.Mode
  var launcher: any Launcher
  var allowance: Allowance
  let places = GrantedPlaces()
}

/// A coordinator: the one place that builds the object graph.
final class Coordinator: Sendable {
  /// How long the workers of an idle conversation are kept.
  private static let idleTime = Duration.seconds(600)
  /// How often what nobody uses any more is removed from the cache.
  private static let pruningInterval = Duration.seconds(86_400)
  /// How long workers may take to end by themselves, and clients to read how a turn ended.
  static let closingPatience = Duration.seconds(1)

  /// The bytes of a journal whose check takes so long that somebody may wonder.
  private static let longCheck = 100_000_000

  let settings: CoordinatorSettings
  let conversations: Conversations
  let journal: Journal
  let catalog: PluginCatalog
  let roster: Roster
  let cores: Cores
  let workers: LocalWorkers
  let lock: StateLock
  private let watch: Task<Void, Never>
  let (stops, stopped) = AsyncStream<Void>.makeStream()

  /// Opens the journal and compiles the agents.
  ///
  /// No worker is started before the first prompt.
  init(_ settings: CoordinatorSettings, terminal: Terminal) async throws {
    self.settings = settings
    let environment = ProcessInfo.processInfo.environment
    let holes = SandboxCheck.holes(in: Confinement(mode: settings.sandbox))
    try SandboxCheck.tell(of: holes, settings.sandbox) { terminal.note($0) }
    try settings.folders.make()
    csystem_raise_descriptors()
    lock = try StateLock(settings.folders)
    // The compiler is located while the journal is being opened.
    async let findingKit = Kit(beside: Executable.path, environment: environment)
    // Before the journal, for which there may otherwise be no room.
    let pidFiles = Self.sweep(settings.folders, terminal)
    let unchecked = Journal.bytesToCheck(at: settings.folders.journal)
    if unchecked > Self.longCheck {
      terminal.note("Checking the journal (\(MemoryText.size(unchecked))), which was not closed.")
    }
    journal = try Journal(path: settings.folders.journal)
    try await journal.closeApprovals(because: "The coordinator stopped before anyone answered.")
    try await journal.closeRuns(outcome: "lost: its coordinator stopped first")
    var kit = try await findingKit
    kit.requiresSandbox = settings.sandbox == .required
    let store = PluginStore(
      folder: settings.agents,
      kit: kit,
      cache: settings.folders.plugins
    )
    // Also for agents that do not exist or compile yet.
    settings.follow(settings.allowance.named)
    catalog = PluginCatalog(store, settings: settings) { terminal.note($0) }
    let plugins = try await catalog.prepare()
    let policy = try Self.sandbox(settings, plugins, besides: holes, terminal)
    cores = Cores(Machine.cores())
    roster = try Roster(
      executable: kit.worker,
      isReplaced: { [kit] in kit.isWorkerReplaced },
      launcher: settings.launcher,
      templateLogs: settings.folders.logs,
      cores: cores,
      memory: MemoryQueue(gauge: MachineMemory()),
      sandbox: policy,
      pidFiles: pidFiles
    )
    let roster = roster
    workers = LocalWorkers(roster: roster, catalog: catalog, settings: settings)
    let conversations = Conversations(
      journal: journal,
      workers: workers,
      catalog: catalog,
      cores: cores
    )
    self.conversations = conversations
    await roster.retireIdleWorkers { await conversations.retireIdleWorkers() }
    // Watches as long as the coordinator lives, and ends with it.
    watch = Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await roster.watch() }
        group.addTask { await conversations.watchCores() }
        // It can all be made again, and nobody waits for its removal.
        group.addTask(priority: .utility) {
          let prefixes = PrefixFolders(path: settings.folders.snapshots)
          repeat {
            store.removeUnused()
            prefixes.prune(sparing: await roster.prefixFolders)
          } while (try? await Task.sleep(for: Self.pruningInterval)) != nil
        }
        group.addTask {
          let logs = LogFolder(path: settings.folders.logs)
          repeat {
            logs.prune(living: await roster.living)
            await conversations.retireWorkers(idleFor: Self.idleTime)
          } while (try? await Task.sleep(for: .seconds(30))) != nil
        }
      }
    }
  }

  /// Ends and removes what a killed coordinator has left behind.
  private static func sweep(_ folders: Folders, _ terminal: Terminal) -> PIDFiles {
    let pidFiles = PIDFiles(folder: folders.processes)
    let pids = pidFiles.killSurvivors()
    if !pids.isEmpty {
      let words = pids.map(String.init).joined(separator: ", ")
      terminal.note("Stopped processes that an earlier coordinator left behind: pid \(words).")
    }
    // No worker with a folder in it lives any more.
    csystem_remove(folders.scratch)
    return pidFiles
  }

  /// Returns how workers are confined, as far as the kernel allows; says once what it does not.
  /// - Parameter known: What has been said already.
  private static func sandbox(
    _ settings: CoordinatorSettings,
    _ plugins: [PluginStore.Plugin],
    besides known: [String],
    _ terminal: Terminal
  ) throws -> SandboxPolicy {
    var permissions: Set<Permission> = []
    if settings.sandbox != .off {
      for plugin in plugins {
        do throws(Allowance.Missing) {
          for permission in try settings.allowance.permissions(of: plugin.description) {
            // A template could not open it for its forks. Without it, this agent's workers are
            // started from nothing, and refuse until it exists.
            if let path = permission.path, access(path, F_OK) != 0 {
              let name = plugin.description.name
              terminal.note("\(path), which the agent '\(name)' needs, does not exist.")
            } else {
              permissions.insert(permission)
            }
          }
        } catch {
          terminal.note(error.description)
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
    let policy = SandboxPolicy(templates: settings.fixed(templates))
    // What agents are allowed may need more of the kernel.
    let holes = SandboxCheck.holes(in: policy.templates).filter { !known.contains($0) }
    try SandboxCheck.tell(of: holes, settings.sandbox) { terminal.note($0) }
    return policy
  }

  /// Makes whatever serves end all turns, report that, and return.
  func stop() { stopped.yield() }

  /// Ends all turns and their workers.
  func endTurns() async {
    Notify.stopping()
    // Conversations dismiss their workers; one that does not react is killed.
    let (conversations, roster) = (conversations, roster)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await conversations.close() }
      group.addTask {
        guard (try? await Task.sleep(for: Self.closingPatience)) != nil else { return }
        await roster.close()
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Ends everything that the coordinator owns.
  func close() async {
    await endTurns()
    await roster.close()
    watch.cancel()
    // Whatever is still open holds nothing that is not on disk.
    try? journal.close()
    lock.release()
  }
}

/// Coordination decides who computes; Supervision carries the requests.
extension Cores: CoreArbiter {}

extension Permission {
  /// The path of a permission to access or run files.
  fileprivate var path: String? {
    switch self {
    case .network: nil
    case .reading(let path), .writing(let path), .running(let path): path
    }
  }
}
