import AgentKit
import CSystem
import Coordination
import Foundation
import Inspection
import Journal
import Plugins
import Supervision
import Wire

/// What a coordinator is made from.
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
  /// What starts workers; `nil` where they are started as they are.
  var bubblewrap: Bubblewrap?
  var allowance: Allowance
}

/// A coordinator: the one place where the rooms are put together.
final class Coordinator: Sendable {
  /// How long the workers of a conversation are kept when nothing is asked.
  private static let idleSeconds = 600.0
  /// How long workers may take to end by themselves, and whoever has asked to read how a turn ended.
  static let closingPatience = Duration.seconds(1)

  let settings: CoordinatorSettings
  let conversations: Conversations
  let journal: Journal
  let catalog: PluginCatalog
  let roster: Roster
  let cores: Cores
  let workers: LocalWorkers
  let lock: StateLock
  private let watch: Task<Void, Never>
  private let record: Task<Void, Never>
  let (stops, stopped) = AsyncStream<Void>.makeStream()

  /// Opens the journal and compiles the agents.
  ///
  /// No worker is started before the first prompt.
  init(_ settings: CoordinatorSettings, terminal: Terminal) async throws {
    self.settings = settings
    let environment = ProcessInfo.processInfo.environment
    try settings.folders.make()
    csystem_raise_descriptors()
    lock = try StateLock(settings.folders)
    // The compiler is looked for while the journal is opened.
    async let findingKit = Kit(beside: Executable.path, environment: environment)
    // Before the journal, for which there may be no room.
    let leftovers = Self.sweep(settings.folders, terminal)
    journal = try Journal(path: settings.folders.journal)
    try await journal.closeApprovals(because: "The coordinator stopped before anyone answered.")
    try await journal.closeRuns(outcome: "lost: its coordinator stopped first")
    let kit = try await findingKit
    let store = PluginStore(
      folder: settings.agents,
      kit: kit,
      cache: settings.folders.plugins
    )
    catalog = PluginCatalog(store, settings: settings) { terminal.note($0) }
    let plugins = try await catalog.prepare()
    let policy = try Self.sandbox(settings, plugins, terminal)
    cores = Cores(Machine.cores())
    roster = try Roster(
      executable: kit.worker,
      templateLogs: settings.folders.logs,
      cores: cores,
      memory: Memory(gauge: MachineMemory()),
      sandbox: policy,
      bubblewrap: settings.bubblewrap,
      leftovers: leftovers
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
    // It ends when the roster is closed and the last end is written down.
    record = Task { [journal] in
      await StandbyRecord(journal: journal) { terminal.note($0) }.keep(roster.lives)
    }
    // It watches as long as the coordinator lives, and ends with it.
    watch = Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await roster.watch() }
        group.addTask { await conversations.watchCores() }
        group.addTask {
          let logs = LogFolder(path: settings.folders.logs)
          repeat {
            logs.prune(living: await roster.living)
            await conversations.retireWorkers(idleFor: Self.idleSeconds)
          } while (try? await Task.sleep(for: .seconds(30))) != nil
        }
      }
    }
  }

  /// Ends and removes what a coordinator has left that was killed.
  private static func sweep(_ folders: Folders, _ terminal: Terminal) -> Leftovers {
    let leftovers = Leftovers(folder: folders.processes)
    let pids = leftovers.sweep()
    if !pids.isEmpty {
      let words = pids.map(String.init).joined(separator: ", ")
      terminal.note("Stopped processes that an earlier coordinator left behind: pid \(words).")
    }
    // No worker lives any more whose folder is in it.
    csystem_remove(folders.scratch)
    return leftovers
  }

  /// How workers are confined, as far as this kernel can do it; says once what it cannot.
  private static func sandbox(
    _ settings: CoordinatorSettings,
    _ plugins: [PluginStore.Plugin],
    _ terminal: Terminal
  ) throws -> SandboxPolicy {
    var permissions: Set<Permission> = []
    if settings.sandbox != .off {
      for plugin in plugins {
        do throws(Allowance.Missing) {
          permissions.formUnion(try settings.allowance.permissions(of: plugin.description))
        } catch {
          terminal.note(error.description)
        }
      }
    }
    let policy = SandboxPolicy(
      templates: Confinement(
        mode: settings.sandbox,
        scratch: settings.folders.scratch,
        plugins: settings.folders.plugins,
        snapshots: settings.folders.snapshots,
        permissions: Array(permissions)
      )
    )
    let holes = settings.sandbox == .off ? [] : policy.holes
    guard !holes.isEmpty else { return policy }
    let words = holes.joined(separator: "; ")
    guard settings.sandbox == .default else { throw CommandError.noSandbox(words) }
    terminal.note("The worker sandbox is incomplete: \(words).")
    return policy
  }

  /// Has whatever serves end all turns, tell of it, and return.
  func stop() { stopped.yield() }

  /// Ends all turns, and their workers.
  func endTurns() async {
    Notify.stopping()
    // The conversations say goodbye to their workers; one that does not hear is ended by force.
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

  /// Ends everything that is its own.
  func close() async {
    await endTurns()
    await roster.close()
    await record.value
    watch.cancel()
    // What is open still holds nothing that is not on disk.
    try? journal.close()
    lock.release()
  }
}

/// Coordination decides who computes; Supervision carries the questions.
extension Cores: CoreArbiter {}
