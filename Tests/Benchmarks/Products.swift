import Coordination
import Foundation
import Supervision
import Wire

/// The built products beside this program.
enum Products {
  static let worker: String = {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appending(path: "orchestrator-worker").path
  }()

  static func temporaryFolder() -> String {
    FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
  }
}

struct BenchmarkCatalog: AgentCatalog {
  let plugin: String

  func agent(named name: String) async -> LaunchableAgent? {
    LaunchableAgent(
      name: name,
      description: "",
      plugin: plugin,
      model: nil,
      contextSize: nil
    )
  }

  func beginner() async -> String? { "stepper" }
}

struct BenchmarkWorkers: Workers {
  let roster: Roster
  let folder: String

  func launch(_ agent: LaunchableAgent, run: RunID) async throws -> any WorkerLink {
    let log = "\(folder)/\(run).log"
    let hello = Hello(run: run, plugin: agent.plugin, model: nil, contextSize: nil)
    return Link(worker: try await roster.launch(hello, log: log), log: log)
  }

  private struct Link: WorkerLink {
    let worker: Worker
    let log: String

    var run: RunID { worker.run }
    var pid: Int32 { worker.pid }
    var events: AsyncStream<WorkerEvent> { worker.events }
    var memory: Int? { nil }

    func send(_ message: ToWorker) throws { try worker.send(message) }
    func retire() async { await worker.end(by: .retire) }
    func kill() { worker.condemn(.hung(seconds: 0)) }
  }
}
