import PlatformLibraries
import Supervision
import Transcripts
import Wire

/// The workers of an outpost: a roster like the coordinator's own, whose workers' messages cross the
/// channel.
actor OutpostServer {
  /// How often what changes on the machine is reported.
  private static let reportInterval = Duration.seconds(5)
  /// The bytes of a log that may wait; more than that is not sent.
  private static let maximumLogBytes = 256 * 1024

  private let folder: OutpostFolder
  private let files: StagedFiles
  private let sender: ChannelSender
  private let workers: WorkerTable
  private let roster: Roster
  private let cores: Cores
  private let gauge: any MemoryGauge
  private var launches: [RunID: Task<Void, Never>] = [:]
  private var relays: [RunID: Task<Void, Never>] = [:]
  private var upkeep: Task<Void, Never>?

  init(
    _ orders: OutpostOrders,
    folder: OutpostFolder,
    files: StagedFiles,
    sender: ChannelSender,
    workers: WorkerTable
  ) throws {
    (self.folder, self.files, self.sender, self.workers) = (folder, files, sender, workers)
    cores = Cores(Machine.cores())
    gauge = BoundedMemory(bound: orders.memory)
    var confinement = orders.confinement ?? Confinement(mode: .off)
    confinement.scratch = folder.scratch
    confinement.plugins = folder.plugins
    confinement.snapshots = folder.prefixes
    // Those of another machine.
    confinement.places = nil
    let executable = OwnExecutable.path
    let version = FileVersion(executable)
    roster = try Roster(
      executable: executable,
      isReplaced: { FileVersion(executable) != version },
      templateLogs: folder.logs,
      cores: cores,
      memory: MemoryQueue(gauge: gauge),
      sandbox: SandboxPolicy(templates: confinement),
      pidFiles: PIDFiles(folder: folder.processes),
      logSink: { [sender] run, bytes in Self.send(bytes, of: run, through: sender) }
    )
  }

  /// Watches the workers, and reports what changes.
  func start() {
    // Unstructured: it lives as long as the server, which cancels it when it closes.
    upkeep = Task { [weak self, roster] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await roster.watch() }
        group.addTask {
          repeat {
            await self?.report()
          } while (try? await Task.sleep(for: Self.reportInterval)) != nil
        }
      }
    }
  }

  private static func send(_ bytes: [UInt8], of run: RunID, through sender: ChannelSender) {
    let lane = ChannelFrame.Lane(run)
    guard sender.waitingBytes(lane) <= maximumLogBytes else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(WireLimits.piece / 2))
      sender.send([Frame(kind: .last, payload: piece)], stream: .log, lane: lane)
      rest = rest.dropFirst(piece.count)
    }
  }

  func handle(_ message: ToOutpost) {
    switch message {
    case .launch(let order): launch(order)
    case .expect(let order):
      // Unstructured: making a spare may take long, and nothing waits for it.
      Task {
        if let configuration = try? self.resolve(order) { await roster.expect(configuration) }
      }
    case .abandon(let run): launches[run]?.cancel()
    case .end(let run, let atOnce):
      guard let worker = workers[run] else { return }
      // Unstructured: its end is reported like any other.
      Task { await worker.end(by: atOnce ? .kill : .retire) }
    case .begin, .beat, .credit, .echo, .offer, .become, .shutdown: break
    }
  }

  // MARK: Launching

  private func launch(_ order: LaunchOrder) {
    let run = order.configuration.run
    guard launches[run] == nil, workers[run] == nil else { return }
    // Unstructured: other messages must not wait for it, and one of them may cancel it.
    launches[run] = Task {
      defer { launches[run] = nil }
      do {
        let worker = try await roster.launch(
          try resolve(order),
          log: "\(folder.logs)/\(run).log"
        ) { [sender] wait in
          sender.send(
            FromOutpost.waiting(run, place: wait.place, needed: wait.needed, free: wait.free)
          )
        }
        guard !Task.isCancelled else { return await worker.end(by: .kill) }
        workers[worker.run] = worker
        sender.send(FromOutpost.launched(run, as: worker.run, pid: worker.pid))
        relays[worker.run] = Task { await relay(worker) }
      } catch {
        sender.send(FromOutpost.refused(run, LaunchRefusal(error)))
      }
    }
  }

  /// Returns a configuration with the paths of this machine.
  private func resolve(_ order: LaunchOrder) throws -> WorkerConfiguration {
    var configuration = order.configuration
    guard SafeName.isSafe(configuration.run.description) else {
      throw LaunchError.unsafeName(configuration.run.description)
    }
    if let name = configuration.plugin {
      configuration.plugin = try plugin(named: name, hash: order.plugin ?? "")
    }
    if let names = order.modelFiles {
      let set = try files.link(names)
      configuration.model = configuration.model.map { "\(set)/\($0)" }
      // Another is the host's own.
      if let name = configuration.projector, !name.hasPrefix("/") {
        configuration.projector = "\(set)/\(name)"
      }
    } else if let model = configuration.model {
      try checkModel(model, bytes: order.modelBytes)
    }
    if let prefixes = configuration.snapshots {
      guard SafeName.isSafe(prefixes) else { throw LaunchError.unsafeName(prefixes) }
      let own = "\(folder.prefixes)/\(prefixes)"
      configuration.snapshots = own
      if let prefix = order.prefix, SafeName.isSafe(prefix.name) {
        mkdir(own, 0o700)
        // Not linked: workers write to the files of this folder.
        files.move(prefix.hash, to: "\(own)/\(prefix.name)")
      }
    }
    configuration.confinement?.places = nil
    return configuration
  }

  /// Gives a plugin that was sent the name by which its template is known.
  private func plugin(named name: String, hash: String) throws -> String {
    guard SafeName.isSafe(name), SafeName.isSafe(hash) else { throw LaunchError.unsafeName(name) }
    let path = "\(folder.plugins)/\(hash)/\(name)"
    if access(path, R_OK) == 0 { return path }
    guard let file = files.path(of: hash) else {
      throw LaunchError.system(call: "finding the plugin \(name)", code: ENOENT)
    }
    mkdir("\(folder.plugins)/\(hash)", 0o700)
    guard link(file, path) == 0 || errno == EEXIST else {
      throw LaunchError.system(call: "linking the plugin \(name)", code: errno)
    }
    return path
  }

  private func checkModel(_ path: String, bytes: Int?) throws {
    let parts = ModelParts.of(path)
    if let missing = parts.first(where: { FileStamp($0) == nil }) {
      throw LaunchRefusal.Missing(words: missing)
    }
    guard let bytes, bytes != FileStamp.bytes(of: parts) else { return }
    throw LaunchRefusal.Missing(words: "\(path), of which the size is another,")
  }

  /// Sends what a worker says, as fast as the channel takes it, and then its end.
  private func relay(_ worker: WorkerHandle) async {
    let lane = ChannelFrame.Lane(worker.run)
    for await event in worker.events {
      if Task.isCancelled { return }
      switch event {
      // Its heartbeat is watched here.
      case .message(.pong): break
      case .message(let message):
        guard let frames = try? MessageEncoder().frames(of: message) else { continue }
        sender.send(frames, stream: .worker, lane: lane)
        await sender.waitForRoom(in: lane)
      case .ended(let death):
        workers[worker.run] = nil
        let frames = try? MessageEncoder().frames(of: WorkerEnd(death: death))
        sender.send(frames ?? [], stream: .end, lane: lane)
        sender.close(lane)
      }
    }
    relays[worker.run] = nil
  }

  // MARK: Reporting

  private func report() async {
    let templates = await roster.standbys().filter(\.isReady).compactMap(\.agent)
    let memory = workers.all.compactMap { worker in
      ProcessMemory.proportional(of: worker.pid).map { (worker.run.description, $0) }
    }
    sender.send(
      FromOutpost.vitals(
        OutpostVitals(
          cores: cores.load,
          memory: gauge.reading?.free,
          templates: Set(templates).sorted(),
          workers: Dictionary(memory) { $1 }
        )
      )
    )
  }

  // MARK: Ending

  /// Ends all workers.
  ///
  /// - Parameter reports: Whether their ends are reported: where the coordinator did not ask for them,
  ///   they are lost with the outpost, whatever they said last.
  func close(reports: Bool) async {
    upkeep?.cancel()
    for launch in launches.values { launch.cancel() }
    if !reports { for relay in relays.values { relay.cancel() } }
    await roster.close()
    for relay in relays.values { await relay.value }
  }
}

extension Standby {
  /// The agent that it is for, in lower case; `nil` for a model's template and for the program's.
  fileprivate var agent: String? {
    guard let name = name.split(separator: "-", maxSplits: 1).last.map(String.init) else {
      return nil
    }
    return name == "model" || name == "program" ? nil : name.lowercased()
  }
}

extension LaunchRefusal {
  /// A model is not there.
  struct Missing: Error {
    let words: String
  }

  /// The most bytes of a problem that is reported; longer words are a breach.
  private static let maximumProblem = 2000

  init(_ error: any Error) {
    switch error {
    case let shortage as MemoryShortage:
      self = .memory(
        needed: shortage.needed,
        free: shortage.free,
        total: shortage.total,
        waited: shortage.waited / .seconds(1)
      )
    case let missing as Missing: self = .model(missing.words.beginning(bytes: Self.maximumProblem))
    default: self = .other("\(error)".beginning(bytes: Self.maximumProblem))
    }
  }
}
