import AgentKit
import Coordination
import Supervision
import Wire

/// Two rosters: one for real workers, one for whatever a test puts in their place.
struct Workshop: Sendable {
  let folder: String
  /// The folder in which confined workers keep prefixes.
  private let prefixes: String?
  /// What a person has allowed confined workers; `nil` if workers are not confined.
  private let permissions: [Permission]?
  private let real: Roster
  private let fake: Roster

  init(
    folder: String,
    worker: String,
    timeouts: Roster.Timeouts,
    cores: TracedCores?,
    isConfined: Bool,
    permissions: [Permission],
    limit: FolderQuota,
    launcher: any Launcher
  ) throws {
    self.folder = folder
    prefixes = isConfined ? folder + "/prefixes" : nil
    self.permissions = isConfined ? permissions : nil
    let confinement = Confinement(mode: .default, scratch: folder + "/scratch")
    real = try Roster(
      executable: worker,
      launcher: launcher,
      timeouts: timeouts,
      cores: cores,
      sandbox: isConfined
        ? SandboxPolicy(templates: confinement, limit: limit, prefixLimit: limit) : nil
    )
    // A script needs no time to load.
    let short = Roster.Timeouts(
      load: .seconds(2),
      silence: .seconds(1),
      heartbeat: timeouts.heartbeat
    )
    fake = try Roster(executable: folder + "/fake", timeouts: short)
  }

  func launch(_ agent: LaunchableAgent, run: RunID) async throws -> WorkerHandle {
    let configuration = WorkerConfiguration(
      run: run,
      plugin: agent.plugin,
      model: agent.model,
      contextSize: nil,
      snapshots: prefixes,
      confinement: permissions.map { Confinement(permissions: $0) }
    )
    let roster = agent.launcher == "fake" ? fake : real
    return try await roster.launch(configuration, log: log(of: run))
  }

  func log(of run: RunID) -> String { "\(folder)/\(run).log" }

  func watch() async {
    async let first: Void = real.watch()
    async let second: Void = fake.watch()
    _ = await (first, second)
  }

  func close() async {
    async let first: Void = real.close()
    async let second: Void = fake.close()
    _ = await (first, second)
  }
}

/// The workers as Coordination sees them, with a tee on their pipes.
struct TracedWorkers: Workers {
  let workshop: Workshop
  let traffic: Traffic

  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    let worker = try await workshop.launch(agent, run: run)
    let log = workshop.log(of: run)
    traffic.begin(Traffic.Line(agent: agent.name, run: run, pid: worker.pid, log: log))
    return TracedWorker(worker, log: log, traffic: traffic)
  }
}

private struct TracedWorker: WorkerLink {
  let events: AsyncStream<WorkerEvent>
  let log: String
  private let worker: WorkerHandle
  private let traffic: Traffic

  init(_ worker: WorkerHandle, log: String, traffic: Traffic) {
    self.worker = worker
    self.log = log
    self.traffic = traffic
    let (events, continuation) = AsyncStream<WorkerEvent>.makeStream()
    self.events = events
    Task {
      for await event in worker.events {
        traffic.note(worker.run) { $0.heard.append(event) }
        continuation.yield(event)
      }
      continuation.finish()
    }
  }

  var run: RunID { worker.run }
  var pid: Int32 { worker.pid }
  var memory: Int? { ProcessMemory.proportional(of: worker.pid) }
  var progress: WorkProgress? { nil }

  func send(_ message: ToWorker) throws {
    traffic.note(worker.run) { $0.sent.append(message) }
    try worker.send(message)
  }

  func kill(_ cause: Death.Cause) { worker.terminate(reason: cause) }

  func retire() async -> Bool {
    await worker.end(by: .retire)
    return worker.hasEnded
  }
}
