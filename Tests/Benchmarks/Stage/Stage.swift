import AgentKit
import Coordination
import Foundation
import Journal
import Outposts
import Plugins
import Supervision
import Wire

/// A coordinator assembled as in the product: its rooms, real workers, a journal on disk.
struct Stage: Sendable {
  let folder: String
  let journal: Journal
  let roster: Roster
  let timeline = Timeline()
  /// The other machines.
  let hosts: StageHosts
  private let prefixes: String?
  private let sessions: Sessions
  private let catalog: StageCatalog
  private let watch: Task<Void, Never>

  /// How a stage is set.
  struct Setting {
    var model: String?
    var contextSize = 4096
    /// Without them every worker is started from scratch.
    var hasTemplates = true
    /// Whether computed prefixes are kept for other processes.
    var keepsPrefixes = true
    /// Whether everything said between processes is recorded.
    var isTraced = true
    /// The other machines on which agents may be placed.
    var hosts: [HostDefinition] = []
  }

  /// Sets a stage, and clears it at the end.
  static func set(
    _ setting: Setting,
    agents: [AgentSource],
    _ body: (Stage) async throws -> Void
  ) async throws {
    let stage = try await Stage(setting, agents: agents)
    do {
      try await body(stage)
      await stage.close()
    } catch {
      await stage.close()
      throw error
    }
  }

  private init(_ setting: Setting, agents: [AgentSource]) async throws {
    folder = try Products.temporaryFolder()
    let sources = folder + "/Agents"
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
    for agent in agents {
      try agent.text.write(
        toFile: "\(sources)/\(agent.type).swift",
        atomically: true,
        encoding: .utf8
      )
    }
    let kit = try await AgentToolchain(
      beside: Products.worker,
      environment: ProcessInfo.processInfo.environment
    )
    let store = PluginStore(folder: sources, toolchain: kit, cache: folder)
    let catalog = StageCatalog(store, setting)
    try await catalog.check(agents.count)
    let cores = Cores(Machine.cores())
    // Confined as a person's workers are.
    let confinement = Confinement(
      scratch: folder + "/scratch",
      plugins: folder,
      snapshots: folder + "/prefixes"
    )
    let eventLoop = try ChildEventLoop()
    let logs = folder
    let fingerprint = try Products.output(of: kit.worker, ["--fingerprint"])
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let parts = HomeParts(
      executable: kit.worker,
      fingerprint: fingerprint,
      confinement: confinement,
      environment: ProcessInfo.processInfo.environment,
      log: { "\(logs)/\($0).log" }
    )
    hosts = StageHosts(setting.hosts.map { Outpost($0, parts: parts, eventLoop: eventLoop) })
    let roster = try Roster(
      executable: kit.worker,
      templateLogs: setting.hasTemplates ? folder : nil,
      cores: cores,
      memory: MemoryQueue(gauge: MachineMemory()),
      sandbox: SandboxPolicy(templates: confinement),
      eventLoop: eventLoop
    )
    let prefixes = folder + "/prefixes"
    try FileManager.default.createDirectory(atPath: prefixes, withIntermediateDirectories: true)
    self.prefixes = setting.keepsPrefixes ? prefixes : nil
    journal = try Journal(path: folder + "/journal.sqlite")
    sessions = Sessions(
      journal: journal,
      workers: StageWorkers(
        roster: roster,
        folder: folder,
        prefixes: self.prefixes,
        timeline: setting.isTraced ? timeline : nil,
        hosts: hosts
      ),
      catalog: catalog,
      cores: cores
    )
    self.catalog = catalog
    self.roster = roster
    // It ends when the stage is cleared.
    let sessions = sessions
    watch = Task {
      async let watching: Void = sessions.watchCores()
      await roster.watch()
      await watching
    }
  }

  private func close() async {
    await sessions.close()
    await hosts.close()
    await roster.close()
    watch.cancel()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Returns a conversation that begins with an agent, or continues from its journaled entries.
  func conversation(_ name: String, with holder: String) async throws -> Session {
    catalog.begin(with: holder)
    return try await sessions.session(named: name)
  }

  /// Prepares the templates of agents.
  func prepare(_ agents: String...) async throws {
    for name in agents {
      await roster.prepare(try await configuration(name))
    }
  }

  /// Waits until a spare of an agent stands by, as it does for a person who lets a few seconds pass
  /// between two questions.
  func standBy(_ name: String) async throws {
    await roster.expect(try await configuration(name))
    while !(await roster.standbys().contains { $0.kind == .spare && $0.isReady }) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Returns how long a worker outside any conversation takes from its launch to its greeting, and
  /// until its agent is loaded.
  func launch(_ name: String) async throws -> (greeting: Duration, ready: Duration) {
    let configuration = try await configuration(name)
    let start = ContinuousClock.now
    let worker = try await roster.launch(configuration, log: "\(folder)/\(configuration.run).log")
    var greeting: Duration?
    for await event in worker.events {
      if case .message(.greeting) = event { greeting = .now - start }
      guard case .message(.ready) = event, let greeting else { continue }
      let ready = ContinuousClock.now - start
      await worker.end(by: .retire)
      return (greeting, ready)
    }
    throw NeverReady(name: name)
  }

  /// Returns the configuration for a worker of an agent.
  private func configuration(_ name: String) async throws -> WorkerConfiguration {
    guard let agent = await catalog.agent(named: name) else { throw NoAgent(name: name) }
    return agent.configuration(as: .new(agent: name), prefixes: prefixes)
  }

  /// Runs a turn to its answer.
  @discardableResult
  func turn(
    _ prompt: String,
    in conversation: Session,
    caps: Caps = Stage.caps
  ) async throws -> TurnSummary {
    let timeline = timeline
    let summary = try await conversation.respond(to: prompt, caps: caps) { event in
      timeline.note(.turn(event))
    }
    guard let summary, summary.exit == .answered else {
      throw Unanswered(exit: summary?.exit ?? .cancelled)
    }
    return summary
  }

  /// Ends the workers of all conversations, which are no longer needed.
  func leaveConversations() async {
    await sessions.retireWorkers(idleFor: .zero)
  }

  /// Caps that no benchmark reaches.
  static let caps: Caps = {
    var caps = Caps()
    caps.rounds = 10_000
    caps.calls = 10_000
    caps.repeats = 10_000
    caps.tokens = Caps.maximum
    caps.seconds = 3600
    return caps
  }()

  /// Returns the living templates and workers.
  func processes() async -> [Int32] {
    await roster.standbys().map(\.pid) + sessions.workers().map(\.pid)
  }

  struct NoAgent: Error {
    let name: String
  }

  struct NeverReady: Error {
    let name: String
  }

  struct Unanswered: Error {
    let exit: TurnExit
  }
}

extension LaunchableAgent {
  /// - Parameter prefixes: The folder for prefixes that agents' templates have computed.
  func configuration(as run: RunID, prefixes: String?) -> WorkerConfiguration {
    WorkerConfiguration(
      run: run,
      plugin: plugin,
      model: model,
      contextSize: contextSize,
      snapshots: prefixes.map { "\($0)/\(name)" },
      agent: declaration
    )
  }
}
