import AgentKit
import Coordination
import Foundation
import Journal
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

/// A coordinator with real workers, for the duration of one test.
struct Stage: Sendable {
  /// Longer than a busy machine keeps a healthy worker from answering.
  static let timeouts = Roster.Timeouts(
    load: .seconds(40),
    silence: .seconds(10),
    heartbeat: .milliseconds(100)
  )

  let folder: String
  let troupe: Troupe
  let journal: Journal
  let sessions: Sessions
  let cast = Cast()
  let traffic = Traffic()
  private let workers: Workshop

  /// Sets up a stage and checks afterwards that no process is left.
  /// - Parameter stopPatience: How long a worker may take to stop before it is killed.
  static func set(
    timeouts: Roster.Timeouts = timeouts,
    stopPatience: Duration = .seconds(2),
    cores: TracedCores? = nil,
    restarts: RestartPolicy = RestartPolicy(),
    isConfined: Bool = false,
    permissions: [Permission] = [],
    limit: FolderQuota = FolderQuota(),
    launcher: any Launcher = LocalLauncher(),
    _ body: (Stage) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let troupe = try await Troupe.shared()
    let workers = try Workshop(
      folder: folder,
      worker: troupe.worker,
      timeouts: timeouts,
      cores: cores,
      isConfined: isConfined,
      permissions: permissions,
      limit: limit,
      launcher: launcher
    )
    let stage = try Stage(
      folder: folder,
      troupe: troupe,
      workers: workers,
      cores: cores,
      stopPatience: stopPatience,
      restarts: restarts
    )
    for name in ["puppet", "partner", "friend"] { stage.cast.give(name, troupe.plugin(name)) }
    let watch = Task { await workers.watch() }
    defer { watch.cancel() }
    var failure: (any Error)?
    do { try await body(stage) } catch { failure = error }
    await workers.close()
    await stage.sessions.close()
    let groups = Set(stage.traffic.lines.map(\.pid))
    // One that was killed is there for a moment more.
    for pid in Stranger.members(of: groups) { #expect(await Stranger.hasGone(pid), "\(pid)") }
    if let failure { throw failure }
  }

  private init(
    folder: String,
    troupe: Troupe,
    workers: Workshop,
    cores: TracedCores?,
    stopPatience: Duration,
    restarts: RestartPolicy
  ) throws {
    self.folder = folder
    self.troupe = troupe
    self.workers = workers
    journal = try Journal(path: folder + "/journal.sqlite")
    sessions = Sessions(
      journal: journal,
      workers: TracedWorkers(workshop: workers, traffic: traffic),
      catalog: cast,
      cores: cores?.cores,
      stopPatience: stopPatience,
      restarts: restarts
    )
  }

  /// Sends a prompt and returns the outcome of the turn.
  func ask(
    _ prompt: String,
    session: String = "test",
    seconds: Int = 120,
    rounds: Int = 16,
    tokens: Int = 8192,
    watch: @escaping @Sendable (TurnEvent) -> Void = { _ in }
  ) async throws -> TurnSummary {
    var caps = Caps()
    caps.seconds = seconds
    caps.rounds = rounds
    caps.tokens = tokens
    let conversation = try await sessions.session(named: session)
    return try #require(try await conversation.respond(to: prompt, caps: caps, watch: watch))
  }

  /// Stops the running turn.
  func cancel(session: String = "test") async throws {
    await (try sessions.session(named: session)).cancel()
  }

  /// Kills all workers and waits until the conversations have noticed.
  func killWorkers() async throws {
    for line in traffic.lines where line.death == nil { kill(line.pid, SIGKILL) }
    let reader = JournalReader(journal)
    try await eventually("the end of every worker is known") {
      try await !reader.runs().contains { $0.outcome == nil }
    }
  }

  /// Puts a script in place of an agent's worker.
  func replace(_ agent: String, by script: String) throws {
    let path = folder + "/fake"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    cast.give(agent, "none", launcher: "fake")
  }

  func restore(_ agent: String) { cast.give(agent, troupe.plugin(agent)) }
}

/// The agents of a stage, which may change during a test.
final class Cast: AgentCatalog {
  private let agents = Mutex<[String: LaunchableAgent]>([:])

  func give(
    _ name: String,
    _ plugin: String,
    model: String? = nil,
    launcher: String = "local"
  ) {
    let agent = LaunchableAgent(
      name: name,
      plugin: plugin,
      model: model,
      contextSize: nil,
      launcher: launcher
    )
    agents.withLock { $0[name] = agent }
  }

  func agent(named name: String) async -> LaunchableAgent? { agents.withLock { $0[name] } }

  func beginner() async -> String? { "puppet" }

  func problem(of name: String) async -> String? { nil }
}
