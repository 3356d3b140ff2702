package import Coordination
import FlyingFox
import FlyingSocks
import Foundation
import Journal

/// The control plane: HTTP on the user's Unix socket and, on request, a network door.
///
/// The socket belongs to the user alone; the door is behind a token.
package struct ControlServer: Sendable {
  /// The most bytes of a prompt with its images as text; the network door allows fewer.
  private static let maximumPrompt = 16 << 20

  private let conversations: Conversations
  private let prompts: PromptResponder
  private let status: CoordinatorStatus
  private let standbys: @Sendable () async -> [StandbyStatus]
  private let launches: @Sendable () -> [LaunchStatus]
  private let deaths: @Sendable () async throws -> DeathList
  private let stop: @Sendable () -> Void

  /// Makes a server.
  /// - Parameters:
  ///   - caps: The caps for prompts that bring none.
  ///   - isAttended: Whether a person is present who can be asked before calls are made, for
  ///     prompts that do not say.
  package init(
    conversations: Conversations,
    caps: Caps,
    isAttended: Bool,
    status: CoordinatorStatus,
    standbys: @escaping @Sendable () async -> [StandbyStatus],
    launches: @escaping @Sendable () -> [LaunchStatus],
    deaths: @escaping @Sendable () async throws -> DeathList,
    stop: @escaping @Sendable () -> Void
  ) {
    self.conversations = conversations
    prompts = PromptResponder(conversations: conversations, caps: caps, isAttended: isAttended)
    self.status = status
    self.standbys = standbys
    self.launches = launches
    self.deaths = deaths
    self.stop = stop
  }

  /// Serves on a socket file until the task is cancelled; a file that nobody serves is replaced.
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
        // Nobody else can connect before the mode is set, because the folder is the user's alone.
        return try await run(server) {
          chmod(path, 0o600)
          onListening()
        }
      } catch SocketError.failed(_, let code, _) where Self.passes(code) {
        // The library ends a server that fails to accept one connection. A new one needs
        // descriptors too, and keeps those it has even if there are not enough.
        repeat { try await Task.sleep(for: .milliseconds(50)) } while !Self.hasDescriptors()
      }
    }
  }

  /// Whether what failed an accept passes soon: another connection's end frees descriptors.
  private static func passes(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED].contains(code)
  }

  /// Returns when all open answers have been read, or after this time at the latest.
  package func answersAreRead(within patience: Duration) async {
    await prompts.answers.areRead(within: patience)
  }

  /// Serves at a door, behind a token, until the task is cancelled, and then removes the token.
  ///
  /// Requests that arrive there are passed to the socket file.
  /// - Parameter names: The host names that requests may use, besides the address.
  package func serve(
    at door: StandingDoor,
    names: [DoorName],
    token: String,
    socket path: String,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    let keeper = Doorkeeper(token: token, address: door.address, names: names)
    try await TokenDoor(keeper: keeper, inside: path)
      .serve(on: door.socket, onListening: onListening)
  }

  /// Describes what kept the server from listening.
  package static func problem(_ error: any Error) -> String {
    if case SocketError.failed(_, let code, _) = error { return String(cString: strerror(code)) }
    return error.localizedDescription
  }

  /// Whether there are enough descriptors for a server and a connection.
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
    await add("GET \(ControlPath.status)", to: server) { _ in try Self.json(status) }
    await add("GET \(ControlPath.processes)", to: server) { _ in
      try Self.json(
        ProcessTree(
          coordinator: status,
          cores: conversations.coreLoad,
          standbys: await standbys(),
          launches: launches(),
          workers: await conversations.workers(),
          deaths: await readableDeaths(),
          approvals: await conversations.approvals.pending
        )
      )
    }
    await add("GET \(ControlPath.approvals)", to: server) { _ in
      try Self.json(await conversations.approvals.pending)
    }
    await add("POST \(ControlPath.approvals)", to: server) { request in
      let body = try await Self.body(of: request, "An answer", maximum: Doorkeeper.maximumBody)
      let answer = try ApprovalAnswer.read(body)
      return try Self.json(
        try await conversations.approvals.answer(
          answer.id,
          denial: answer.denial,
          by: answer.by ?? .control
        )
      )
    }
    await add("POST \(ControlPath.stop)", to: server) { _ in
      stop()
      return HTTPResponse(statusCode: .accepted)
    }
    await add("POST \(ControlPath.prompts)", to: server) { request in
      let body = try await Self.body(of: request, "A prompt", maximum: Self.maximumPrompt)
      return try await prompts.response(to: try PromptRequest.read(body))
    }
    // Last, for everything that no other route handles.
    await add("*", to: server) { request in
      for try await _ in request.bodySequence {}
      guard let methods = ControlPath.methods[request.path] else {
        let paths = ControlPath.methods.keys.sorted().joined(separator: ", ")
        throw HTTPRefusal(.notFound, "There is no \(request.path). Available paths: \(paths).")
      }
      let words = methods.joined(separator: " or ")
      throw HTTPRefusal(.methodNotAllowed, "\(request.path) only accepts \(words).")
    }
  }

  /// Adds a route whose errors are reported to the client, which the library would not do.
  private func add(
    _ route: String,
    to server: HTTPServer,
    _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
  ) async {
    await server.appendRoute(HTTPRoute(route)) { (request: HTTPRequest) in
      do {
        return try await answer(request)
      } catch {
        return HTTPRefusal(error).response
      }
    }
  }

  /// Returns the deaths, or the reason why they cannot be read: the rest can be shown without them.
  private func readableDeaths() async -> DeathList {
    do {
      return try await deaths()
    } catch {
      return DeathList(problem: String(describing: error))
    }
  }

  /// Reads the body of a request.
  /// - Parameter kind: What the body is, as the subject of a sentence.
  /// - Throws: `HTTPRefusal` when it is longer than allowed.
  private static func body(
    of request: HTTPRequest,
    _ kind: String,
    maximum: Int
  ) async throws -> Data {
    var body = Data()
    // Excess is read to the end: hanging up would discard the answer.
    for try await chunk in request.bodySequence where body.count <= maximum { body += chunk }
    guard body.count <= maximum else {
      throw HTTPRefusal(.payloadTooLarge, "\(kind) may have at most \(maximum >> 20) MiB.")
    }
    return body
  }

  private static func json(_ value: some Encodable) throws -> HTTPResponse {
    HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "application/json"],
      body: try ControlJSON.encode(value)
    )
  }
}
