import Coordination
import Foundation
import Journal
import Wire

@testable import Inspection

/// A control plane on its own socket file, for conversations whose workers never arrive.
struct ControlPlane: Sendable {
  let client: ControlClient
  let conversations: Conversations
  let journal: Journal
  private let socket: String

  /// Serves for the duration of a test.
  /// - Parameters:
  ///   - agents: The names of the available agents; the first begins.
  ///   - deathProblem: What keeps the deaths from being read.
  static func open(
    agents: [String] = [],
    deathProblem: String? = nil,
    _ body: @escaping @Sendable (ControlPlane) async throws -> Void
  ) async throws {
    let folder = "/tmp/control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let journal = try Journal(path: folder + "/journal.sqlite")
    defer { try? journal.close() }
    let conversations = Conversations(
      journal: journal,
      workers: NoWorkers(),
      catalog: FixedCatalog(names: agents)
    )
    let started = Date()
    let server = ControlServer(
      conversations: conversations,
      caps: Caps(),
      isAttended: false,
      status: CoordinatorStatus(
        pid: getpid(),
        started: started,
        state: nil,
        agents: "Agents",
        model: nil,
        sandbox: nil,
        door: nil
      ),
      standbys: { [] },
      launches: { [] },
      deaths: {
        if let deathProblem { throw Unreadable(description: deathProblem) }
        return try await DeathList(JournalReader(journal), since: started)
      },
      stop: {}
    )
    let socket = folder + "/control.sock"
    let plane = ControlPlane(
      client: ControlClient(socket: socket),
      conversations: conversations,
      journal: journal,
      socket: socket
    )
    let (listening, listeningBegan) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve(socket: socket) { listeningBegan.yield() } }
      group.addTask {
        for await _ in listening { break }
        try await body(plane)
      }
      // The server never returns, so the first task to end is the test or a failure to listen.
      defer { group.cancelAll() }
      try await group.next()
    }
    await conversations.close()
  }

  /// Posts a body and returns the answer as soon as its head has arrived.
  func post(_ body: String, to path: String) async throws -> StreamedReply {
    try await StreamedReply.post(Data(body.utf8), to: path, of: socket)
  }

  /// Posts a body and returns the status and the full text of the answer.
  func answer(_ body: String, to path: String) async throws -> (status: Int, text: String) {
    var reply = try await post(body, to: path)
    defer { reply.close() }
    let text = String(decoding: try await reply.rest(), as: UTF8.self)
    return (reply.status, text)
  }
}

private struct Unreadable: Error, CustomStringConvertible {
  let description: String
}

/// Workers that never arrive; a launch ends only when it is cancelled.
private struct NoWorkers: Workers {
  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchWait) -> Void
  ) async throws -> any WorkerLink {
    let (coming, end) = AsyncStream<Void>.makeStream()
    defer { end.finish() }
    for await _ in coming {}
    throw CancellationError()
  }
}

private struct FixedCatalog: AgentCatalog {
  let names: [String]

  func agent(named name: String) async -> LaunchableAgent? {
    guard names.contains(name) else { return nil }
    return LaunchableAgent(name: name, description: "", plugin: "", model: nil, contextSize: nil)
  }

  func beginner() async -> String? { names.first }
}
