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
  private static let closingPatience = Duration.seconds(1)

  let settings: CoordinatorSettings
  let conversations: Conversations
  let journal: Journal
  let catalog: PluginCatalog
  let roster: Roster
  let cores: Cores
  let workers: LocalWorkers
  private let lock: StateLock
  private let watch: Task<Void, Never>
  private let record: Task<Void, Never>
  private let (stops, stopped) = AsyncStream<Void>.makeStream()

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
    try await journal.closeApprovals(because: "The coordinator ended before anybody answered.")
    try await journal.closeRuns(outcome: "lost: its coordinator ended before it")
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
      terminal.note("ended what an earlier coordinator had left: pid \(words)")
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
    terminal.note("the sandbox of workers has holes: \(words)")
    return policy
  }

  /// Has whatever serves end all turns, tell of it, and return.
  func stop() { stopped.yield() }

  /// Serves until somebody asks to stop, or the task is cancelled.
  /// - Parameter isAttended: Whether a person is there who can be asked, for prompts that do not say it.
  func serve(
    terminal: Terminal,
    isAttended: Bool,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    let started = Date()
    try await refuseServedSocket()
    // Where the system chooses the port, all that is said of it needs the one that it has chosen.
    let standing = try settings.door.map(Self.stand)
    let server = ControlServer(
      conversations: conversations,
      caps: settings.caps,
      isAttended: isAttended,
      status: CoordinatorStatus(
        pid: getpid(),
        started: started,
        state: settings.folders.resolvedState,
        agents: settings.agents,
        model: settings.model,
        sandbox: settings.sandbox.rawValue,
        door: standing.map { "\($0.address)" }
      ),
      standbys: { await self.standbys() },
      launches: { self.launches() },
      deaths: { try await DeathList(JournalReader(self.journal), since: started) },
      stop: { self.stop() }
    )
    defer { if settings.door != nil { unlink(settings.folders.token) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      // No child of the group: a machine that is warm must not end what it serves.
      let warming = Task { await self.warm(all: terminal.isInteractive) }
      defer { warming.cancel() }
      group.addTask {
        let socket = self.settings.folders.socket
        do {
          try await server.serve(socket: socket) {
            self.lock.note(listeningOn: socket)
            onListening()
          }
        } catch {
          if Task.isCancelled { throw error }
          throw CommandError.unusableSocket(socket, reason: ControlServer.problem(error))
        }
      }
      if let standing {
        let names = settings.door?.names ?? []
        let token = try makeToken()
        group.addTask {
          do {
            try await server.serve(
              at: standing,
              names: names,
              token: token,
              socket: self.settings.folders.socket
            ) {
              let file = self.settings.folders.token
              terminal.note(DoorSettings.note(of: standing.address, token: file))
            }
          } catch {
            if Task.isCancelled { throw error }
            throw Self.cannotListen(standing.address, error)
          }
        }
      }
      group.addTask { for await _ in self.stops { return } }
      // The server and the watch go on for ever, so the first to end is a stop, a failure to
      // listen, or cancellation.
      try await group.next()
      if !Task.isCancelled {
        // Whoever has asked hears how the turn ends from a server that is there still.
        await endTurns()
        await server.answersAreRead(within: Self.closingPatience)
      }
      group.cancelAll()
    }
  }

  /// Whoever answers there while this coordinator has the lock is another home's: its clients must
  /// not come here.
  private func refuseServedSocket() async throws {
    let socket = settings.folders.socket
    guard let status = try? await ControlClient(socket: socket).status() else { return }
    let home = status.state.map { ", for \($0)" } ?? ""
    throw CommandError.unusableSocket(
      socket,
      reason: "the coordinator with pid \(status.pid) listens there\(home)"
    )
  }

  private static func stand(at door: DoorSettings) throws -> StandingDoor {
    do {
      return try StandingDoor(at: door.address)
    } catch {
      throw cannotListen(door.address, error)
    }
  }

  private static func cannotListen(_ address: DoorAddress, _ error: any Error) -> CommandError {
    .cannotListen("\(address)", reason: ControlServer.problem(error))
  }

  private func makeToken() throws -> String {
    let token = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    let file = settings.folders.token
    unlink(file)
    guard
      FileManager.default.createFile(
        atPath: file,
        contents: Data(token.utf8),
        attributes: [.posixPermissions: 0o600]
      )
    else { throw CommandError.unwritable(file, reason: String(cString: strerror(errno))) }
    return token
  }

  /// Ends all turns, and their workers.
  private func endTurns() async {
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
