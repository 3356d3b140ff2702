import AgentKit
import Coordination
import Outposts
import Plugins
import Supervision
import Synchronization
import Wire

extension Cores: CoreSchedule {}

/// The agents of a stage, looked up before every turn as in the product.
final class StageCatalog: AgentCatalog {
  private let store: PluginStore
  private let model: String?
  private let contextSize: Int
  private let holder = Mutex("")

  init(_ store: PluginStore, _ setting: Stage.Setting) {
    self.store = store
    model = setting.model
    contextSize = setting.contextSize
  }

  /// Compiles the agents.
  func check(_ count: Int) async throws {
    let plugins = try await store.refresh()
    for (name, words) in await store.currentFailures {
      throw DoesNotCompile(name: name, words: words)
    }
    guard plugins.count == count else { throw DoesNotCompile(name: "an agent", words: "") }
  }

  func begin(with agent: String) {
    holder.withLock { $0 = agent }
  }

  func agent(named name: String) async -> LaunchableAgent? {
    let plugins = try? await store.refresh()
    guard let plugin = plugins?.first(where: { $0.description.name == name }) else { return nil }
    return LaunchableAgent(
      name: name,
      plugin: plugin.library,
      model: model,
      contextSize: contextSize,
      declaration: plugin.description
    )
  }

  func beginner() async -> String? { holder.withLock { $0 } }

  func problem(of name: String) async -> String? { nil }

  struct DoesNotCompile: Error {
    let name: String
    let words: String
  }
}

/// The roster as Coordination sees workers, with a tap on what they say.
struct StageWorkers: Workers {
  let roster: Roster
  let folder: String
  let prefixes: String?
  let timeline: Timeline?
  let hosts: StageHosts

  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink {
    let configuration = agent.configuration(as: run, prefixes: prefixes)
    let worker: any StageWorker =
      if let outpost = hosts.outpost(of: agent.name) {
        try await outpost.launch(configuration)
      } else {
        try await roster.launch(configuration, log: "\(folder)/\(run).log")
      }
    return Link(worker: worker, agent: agent.name, timeline: timeline)
  }

  private struct Link: WorkerLink {
    let worker: any StageWorker
    let agent: String
    let timeline: Timeline?

    var log: String { worker.log }
    var run: RunID { worker.run }
    var pid: Int32 { worker.pid }
    var memory: Int? { nil }
    var progress: WorkProgress? { nil }

    /// What the worker says, recorded when it is taken: no task and no copy in between.
    var events: AsyncStream<WorkerEvent> {
      guard let timeline else { return worker.events }
      let (source, agent, pid) = (Source(worker.events), agent, pid)
      return AsyncStream {
        guard let event = await source.next() else { return nil }
        timeline.note(.worker(agent, pid: pid, event))
        return event
      }
    }

    func send(_ message: ToWorker) throws { try worker.send(message) }
    func kill(_ cause: Death.Cause) { worker.terminate(reason: cause) }

    func retire() async -> Bool {
      await worker.end(by: .retire)
      return worker.hasEnded
    }
  }

  /// Has a single reader, like the stream it is made from.
  private actor Source {
    private let events: AsyncStream<WorkerEvent>

    init(_ events: AsyncStream<WorkerEvent>) {
      self.events = events
    }

    func next() async -> WorkerEvent? {
      for await event in events { return event }
      return nil
    }
  }
}

/// The other machines of a stage, and which agents are placed there.
final class StageHosts: Sendable {
  private let outposts: [Outpost]
  private let places = Mutex<[String: Outpost]>([:])

  init(_ outposts: [Outpost]) { self.outposts = outposts }

  subscript(name: String) -> Outpost? { outposts.first { $0.host.name == name } }

  /// Has the next workers of an agent run on a machine; `nil` for this one.
  func place(_ agent: String, on host: String?) {
    places.withLock { $0[agent] = host.flatMap { self[$0] } }
  }

  func outpost(of agent: String) -> Outpost? { places.withLock { $0[agent] } }

  func close() async {
    for outpost in outposts { await outpost.close() }
  }
}

/// A worker here or on another machine.
private protocol StageWorker: Sendable {
  var run: RunID { get }
  var pid: Int32 { get }
  var log: String { get }
  var events: AsyncStream<WorkerEvent> { get }
  var hasEnded: Bool { get }

  func send(_ message: ToWorker) throws
  func terminate(reason: Death.Cause)
  func end(by ladder: Ladder) async
}

extension WorkerHandle: StageWorker {}
extension OutpostWorker: StageWorker {}
