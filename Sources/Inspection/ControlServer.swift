package import Coordination
import FlyingFox
import FlyingSocks
import Foundation
import Journal

/// The control plane: HTTP on a Unix socket that belongs to the user alone, and, when asked for, at an
/// address of the network behind a token.
package struct ControlServer: Sendable {
  /// How often a stream that says nothing shows that it is there.
  private static let tick = Duration.seconds(1)

  /// The bytes of a prompt with images, which are in it as text: on the socket, that is; the door on the
  /// network has a smaller bound.
  private static let maximumPrompt = 16 << 20

  private let conversations: Conversations
  private let caps: Caps
  private let status: CoordinatorStatus
  private let standbys: @Sendable () async -> [StandbyStatus]
  private let launches: @Sendable () -> [LaunchStatus]
  private let deaths: @Sendable () async throws -> DeathList
  private let stop: @Sendable () -> Void

  package init(
    conversations: Conversations,
    caps: Caps,
    status: CoordinatorStatus,
    standbys: @escaping @Sendable () async -> [StandbyStatus],
    launches: @escaping @Sendable () -> [LaunchStatus],
    deaths: @escaping @Sendable () async throws -> DeathList,
    stop: @escaping @Sendable () -> Void
  ) {
    self.conversations = conversations
    self.caps = caps
    self.status = status
    self.standbys = standbys
    self.launches = launches
    self.deaths = deaths
    self.stop = stop
  }

  /// Serves on a socket file until the task is cancelled.
  package func serve(
    socket path: String,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    defer { unlink(path) }
    while true {
      unlink(path)
      let server = HTTPServer(address: .unix(path: path), logger: .disabled)
      await addRoutes(to: server)
      do {
        // Nobody else may come in before the mode is set: the folder is the user's alone.
        return try await run(server) {
          chmod(path, 0o600)
          onListening()
        }
      } catch SocketError.failed(_, let code, _) where Self.passes(code) {
        // The library ends a server that cannot take one connection. Another one needs descriptors too,
        // and keeps those that it has when there are not enough.
        repeat { try await Task.sleep(for: .milliseconds(50)) } while !Self.hasDescriptors()
      }
    }
  }

  /// Whether what kept a connection from being taken is over soon: descriptors are free again when
  /// another ends.
  private static func passes(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED].contains(code)
  }

  /// Serves at an address of this machine, behind a token, until the task is cancelled; what comes in
  /// there is handed to the socket file.
  /// - Parameter names: The names under which requests may come, beside the address.
  package func serve(
    at address: DoorAddress,
    names: [DoorName],
    token: String,
    socket path: String,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    let keeper = Doorkeeper(token: token, address: address, names: names)
    try await TokenDoor(keeper: keeper, inside: path).serve(onListening: onListening)
  }

  /// Whether there are as many descriptors as a server and a connection need.
  private static func hasDescriptors() -> Bool {
    let copies = (0..<8).map { _ in dup(STDERR_FILENO) }
    defer { for copy in copies where copy >= 0 { close(copy) } }
    return copies.allSatisfy { $0 >= 0 }
  }

  private func run(
    _ server: HTTPServer,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask {
        try await server.waitUntilListening()
        onListening()
      }
      try await group.waitForAll()
    }
  }

  private func addRoutes(to server: HTTPServer) async {
    await server.appendRoute(HTTPRoute("GET \(ControlPath.status)")) { (_: HTTPRequest) in
      try Self.json(status)
    }
    await server.appendRoute(HTTPRoute("GET \(ControlPath.processes)")) { (_: HTTPRequest) in
      try Self.json(
        ProcessTree(
          coordinator: status,
          cores: conversations.coreLoad,
          standbys: await standbys(),
          launches: launches(),
          workers: await conversations.workers(),
          deaths: try await deaths(),
          approvals: await conversations.approvals.pending
        )
      )
    }
    await server.appendRoute(HTTPRoute("GET \(ControlPath.approvals)")) { (_: HTTPRequest) in
      try Self.json(await conversations.approvals.pending)
    }
    await server.appendRoute(HTTPRoute("POST \(ControlPath.approvals)")) { request in
      guard let body = try await Self.body(of: request),
        let answer: ApprovalAnswer = try? ControlJSON.decode(body)
      else { return Self.refusal("An answer is JSON with 'id', and with 'denial' for a refusal.") }
      return try await take(answer)
    }
    await server.appendRoute(HTTPRoute("POST \(ControlPath.stop)")) { (_: HTTPRequest) in
      stop()
      return HTTPResponse(statusCode: .accepted)
    }
    await server.appendRoute(HTTPRoute("POST \(ControlPath.prompts)")) { request in
      guard let body = try await Self.body(of: request, maximum: Self.maximumPrompt) else {
        return Self.refusal("A prompt has 16 MiB at most.")
      }
      let prompt: PromptRequest
      do throws(PromptRefusal) {
        prompt = try PromptRequest.read(body)
      } catch {
        return Self.refusal(error.description)
      }
      return HTTPResponse(
        statusCode: .ok,
        headers: [.contentType: "application/x-ndjson"],
        body: HTTPBodySequence(from: lines(answering: prompt))
      )
    }
  }

  private func take(_ answer: ApprovalAnswer) async throws -> HTTPResponse {
    do {
      return try Self.json(
        try await conversations.approvals.answer(
          answer.id,
          denial: answer.denial,
          by: answer.by ?? .control
        )
      )
    } catch let error as ApprovalError {
      return HTTPResponse(statusCode: .conflict, body: Data("\(error)\n".utf8))
    }
  }

  /// The body; `nil` when it is larger than any prompt.
  private static func body(
    of request: HTTPRequest,
    maximum: Int = Doorkeeper.maximumBody
  ) async throws -> Data? {
    var body = Data()
    for try await chunk in request.bodySequence {
      body += chunk
      if body.count > maximum { return nil }
    }
    return body
  }

  private static func refusal(_ reason: String) -> HTTPResponse {
    HTTPResponse(statusCode: .badRequest, body: Data("\(reason)\n".utf8))
  }

  private static func json(_ value: some Encodable) throws -> HTTPResponse {
    HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "application/json"],
      body: try ControlJSON.encode(value)
    )
  }

  /// The events of a turn as lines.
  ///
  /// When nobody reads them any more, the turn is cancelled.
  private func lines(answering request: PromptRequest) -> LineSequence {
    let (lines, continuation) = AsyncStream<PromptLine>.makeStream()
    let valve = TextValve()
    // It ends with the stream, whichever end that comes from.
    let task = Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            let conversation = try await conversations.conversation(named: request.session)
            _ = try await conversation.respond(
              to: request.prompt,
              images: request.images ?? [],
              caps: request.caps?.over(caps) ?? caps,
              isAttended: request.isAttended ?? false
            ) { if valve.admits($0) { continuation.yield(.event($0)) } }
          } catch {
            continuation.yield(.refused(String(describing: error)))
          }
        }
        group.addTask {
          while (try? await Task.sleep(for: Self.tick)) != nil { continuation.yield(.tick) }
        }
        await group.next()
        group.cancelAll()
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return LineSequence(lines: lines, valve: valve)
  }
}
