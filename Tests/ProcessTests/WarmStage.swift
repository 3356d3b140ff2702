import AgentKit
import Foundation
import Plugins
import Supervision
import TestSupport
import Testing
import Wire

/// The shipped agents on the shipped model, with or without templates.
struct WarmStage: Sendable {
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let cache = products.appending(path: "process-tests/plugins").path
  private static let compiled = Task { try await compile() }

  let folder: String
  let roster: Roster
  private let keepsPrefixes: Bool
  private let plugins: [PluginStore.Plugin]

  /// Sets up the stage and checks afterwards that none of its processes is left.
  static func set(
    templates: Bool = true,
    keepsPrefixes: Bool = false,
    cores: TracedCores? = nil,
    memory: MemoryQueue? = nil,
    permissions: [Permission] = [],
    timeouts: Roster.Timeouts = Stage.timeouts,
    _ body: (WarmStage) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "orchestrator-warm-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: folder + "/prefixes",
      withIntermediateDirectories: true
    )
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (kit, plugins) = try await compiled.value
    let roster = try Roster(
      executable: kit.worker,
      timeouts: timeouts,
      templateLogs: templates ? folder : nil,
      cores: cores,
      memory: memory,
      sandbox: SandboxPolicy(
        templates: Confinement(
          mode: .required,
          scratch: folder + "/scratch",
          plugins: Self.cache,
          snapshots: folder + "/prefixes",
          permissions: permissions
        )
      )
    )
    let stage = WarmStage(
      folder: folder,
      roster: roster,
      keepsPrefixes: keepsPrefixes,
      plugins: plugins
    )
    var failure: (any Error)?
    do { try await body(stage) } catch { failure = error }
    let pids = await roster.standbys().map(\.pid)
    #expect(pids.isEmpty == !templates)
    await roster.close()
    for pid in pids { #expect(await Stranger.hasGone(pid)) }
    if let failure { throw failure }
  }

  private static func compile() async throws -> (AgentToolchain, [PluginStore.Plugin]) {
    let kit = try await AgentToolchain(
      beside: products.appending(path: "orchestrator").path,
      environment: ProcessInfo.processInfo.environment
    )
    let store = PluginStore(folder: Repository.root + "/Agents", toolchain: kit, cache: cache)
    return (kit, try await store.refresh())
  }

  /// The greeting for a worker of a shipped agent.
  func configuration(_ agent: String) throws -> WorkerConfiguration {
    let plugin = try #require(plugins.first { $0.description.name == agent })
    return WorkerConfiguration(
      run: .new(agent: agent),
      plugin: plugin.library,
      model: Repository.pocketModel,
      contextSize: nil,
      snapshots: keepsPrefixes ? "\(folder)/prefixes/\(agent)" : nil,
      agent: plugin.description
    )
  }

  /// The greeting for a worker whose instructions take long to compute.
  func scholar() async throws -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: "scholar"),
      plugin: try await Troupe.shared().plugin("scholar"),
      model: Repository.pocketModel,
      contextSize: 8192,
      agent: try await Troupe.shared().declaration(of: "scholar")
    )
  }

  /// The greeting for a worker that says what it can do in its folder of prefixes.
  func scribbler() async throws -> WorkerConfiguration {
    WorkerConfiguration(
      run: .new(agent: "scribbler"),
      plugin: try await Troupe.shared().plugin("scribbler"),
      model: Repository.pocketModel,
      contextSize: nil,
      snapshots: "\(folder)/prefixes/scribbler",
      agent: try await Troupe.shared().declaration(of: "scribbler")
    )
  }

  /// A worker of a shipped agent.
  func worker(_ agent: String) async throws -> WarmWorker { try await worker(configuration(agent)) }

  func worker(_ configuration: WorkerConfiguration) async throws -> WarmWorker {
    WarmWorker(try await roster.launch(configuration, log: "\(folder)/\(configuration.run).log"))
  }

  /// The answers about several things, asked one after another.
  func titles(of things: [String]) async throws -> [String: WarmWorker.Answer] {
    var answers: [String: WarmWorker.Answer] = [:]
    for thing in things { answers[thing] = try await title(of: thing) }
    return answers
  }

  /// The answers about several things, asked at the same time.
  func titlesAtOnce(of things: [String]) async throws -> [String: WarmWorker.Answer] {
    try await withThrowingTaskGroup(of: (String, WarmWorker.Answer).self) { group in
      for thing in things { group.addTask { (thing, try await title(of: thing)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func title(of thing: String) async throws -> WarmWorker.Answer {
    try await worker("title").ask("A project about a \(thing)")
  }
}

/// A worker that is asked one thing and granted everything it requests.
struct WarmWorker: Sendable {
  /// What it answered and how many tokens were cached.
  struct Answer: Sendable, Equatable {
    var entries: [String] = []
    var tokensIn = 0
    var tokensCached = 0
  }

  let worker: WorkerHandle

  init(_ worker: WorkerHandle) {
    self.worker = worker
  }

  func ask(_ question: String) async throws -> Answer {
    try await Self.ask(question, worker.events) { try worker.send($0) }
  }

  /// Asks a worker that is known by what it sends and by a way to send to it.
  static func ask(
    _ question: String,
    _ events: AsyncStream<WorkerEvent>,
    send: (ToWorker) throws -> Void
  ) async throws -> Answer {
    var answer = Answer()
    for await event in events {
      switch event {
      case .message(.ready):
        try send(.turn(Turns.prompt(question)))
      case .message(.request(let id, _, .admission)):
        try send(.reply(id: id, .admission(.admitted(.go(maximumTokens: 200)))))
      case .message(.request(let id, _, .record(let entries, let usage, _))):
        answer.entries += entries.map(\.entry.description)
        answer.tokensIn += usage?.tokensIn ?? 0
        answer.tokensCached += usage?.tokensCached ?? 0
        // No call is made, because only the text of the model is compared.
        try send(.reply(id: id, .recorded(AdmittedCalls())))
        if case .toolCalls? = entries.last?.entry { try send(.cancel(turn: 1)) }
      case .message(.ended): return answer
      case .message: break
      case .ended(let death): throw Ended(death: death)
      }
    }
    return answer
  }

  struct Ended: Error {
    let death: Death
  }
}
