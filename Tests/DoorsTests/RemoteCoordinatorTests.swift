import Coordination
import FlyingSocks
import Foundation
import Logging
import Testing

@testable import Coordinator
@testable import Doors
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `A client of a coordinator` {
  /// Serves a stub on a socket file for the duration of a test.
  private func serving(
    _ service: StubService,
    _ body: @escaping @Sendable (RemoteCoordinator) async throws -> Void
  ) async throws {
    let path = "/tmp/client-\(UUID().uuidString.prefix(8)).sock"
    let server = DoorServer(service, logger: Logger(label: "test"))
    let (listening, began) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve(socket: path) { began.yield() } }
      group.addTask {
        _ = await listening.first { _ in true }
        try await body(RemoteCoordinator(socket: path))
      }
      defer { group.cancelAll() }
      try await group.next()
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `gets what the service answers, whatever it is asked`() async throws {
    let turn = [TurnEvent.accepted(turn: 1, conversation: "talk"), .trouble("it is late")]
    let service = StubService(turn: turn)
    try await serving(service) { client in
      #expect(try await client.status() == service.status())
      #expect(try await client.processes() == service.processes())
      #expect(try await client.sessions() == service.sessions())
      #expect(try await client.agents() == service.agents())
      #expect(try await client.runs() == [])
      #expect(try await client.approvals() == [StubService.approval])
      #expect(
        try await client.facts(of: "a&b+c é", after: 3) == service.facts(of: "a&b+c é", after: 3)
      )
      #expect(service.requests.last == "facts a&b+c é 3")
      let closing = ApprovalAnswer(id: 7, denial: nil, isCancelled: true, by: .control)
      _ = try await client.answer(closing)
      #expect(service.requests.last == "answer 7: neither")
      let answer = ApprovalAnswer(id: 7, denial: "a&b+c", by: .control)
      #expect(try await client.answer(answer) == StubService.approval)
      #expect(service.requests.last == "answer 7: a&b+c")
      let session = SessionRequest(session: "a&b+c é")
      #expect(try await client.open(session) == service.open(session))
      let fork = ForkRequest(session: "a&b+c é", name: "copy", turn: 7, origin: "client/1")
      #expect(try await client.fork(fork) == service.fork(fork))
      try await client.cancel(session: "talk")
      #expect(service.requests.last == "cancel talk")
      try await client.delete(session: "a&b+c é")
      #expect(service.requests.last == "delete a&b+c é")
      var events: [TurnEvent] = []
      let request = PromptRequest(session: "talk", prompt: "hello", caps: nil)
      for try await event in try await client.prompt(request) { events.append(event) }
      #expect(events == turn)
      var positions: [Int64] = []
      for try await event in try await client.events(of: "a&b+c é", since: 3) {
        positions.append(event.position)
      }
      #expect(positions == [0, 1])
      #expect(service.requests.last == "events a&b+c é 3")
      var log: [LogPart] = []
      for try await part in try await client.log(of: "clerk", following: true) { log.append(part) }
      #expect(log == [.text("one\n"), .text("two\n")])
      try await client.stop()
    }
  }

  @Test func `gets the errors of the service`() async throws {
    try await serving(StubService(failing: ConversationError.noAgents)) { client in
      let error = ServiceError(ConversationError.noAgents)
      await #expect(throws: error) { try await client.sessions() }
      let request = PromptRequest(session: "talk", prompt: "hello", caps: nil)
      await #expect(throws: error) { try await client.prompt(request) }
    }
  }

  @Test func `cancels what it no longer reads`() async throws {
    let service = StubService(turn: [.trouble("so far")], ends: false)
    try await serving(service) { client in
      let request = PromptRequest(session: "talk", prompt: "hello", caps: nil)
      for try await _ in try await client.prompt(request) { break }
      #expect(await service.cancellations.first { _ in true } != nil)
    }
  }

  /// Makes a server write the pieces one after another and then hang up.
  private func answering(
    _ pieces: [String],
    hangingUp hangsUp: Bool = true,
    _ body: (ServiceClient) async throws -> Void
  ) async throws {
    let path = "/tmp/reply-\(UUID().uuidString.prefix(8)).sock"
    defer { unlink(path) }
    let listener = try Socket(domain: AF_UNIX)
    try listener.bind(to: .unix(path: path))
    try listener.listen()
    // A thread, because accepting and reading block.
    Thread.detachNewThread {
      guard let connection = try? listener.accept().file else { return }
      let socket = Socket(file: connection)
      var request = [UInt8](repeating: 0, count: 4096)
      _ = request.withUnsafeMutableBytes { read(connection.rawValue, $0.baseAddress, 4096) }
      for piece in pieces { _ = try? socket.write(Data(piece.utf8), from: 0) }
      if !hangsUp {
        _ = request.withUnsafeMutableBytes { read(connection.rawValue, $0.baseAddress, 1) }
      }
      try? socket.close()
    }
    try await body(ServiceClient(socket: path))
    try listener.close()
  }

  private func events(_ client: ServiceClient) async throws -> [TurnEvent] {
    var events: [TurnEvent] = []
    let stream: EventStream<TurnEvent> = try await client.stream(
      Routes.Path.prompts,
      posting: SessionRequest(session: "talk")
    )
    for try await event in stream { events.append(event) }
    return events
  }

  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static func chunk(_ text: String) -> String {
    "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
  }

  @Test(arguments: [1, 7, 10_000])
  func `reads lines wherever the pieces are cut`(size: Int) async throws {
    let line = #"{"event":"trouble","reason":"late"}"# + "\n"
    let text =
      Self.head + Self.chunk(#"{"event":"tick"}"# + "\n" + line.prefix(9))
      + Self.chunk(line.dropFirst(9) + line) + "0\r\n\r\n"
    let bytes = Array(text.utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map { start in
      String(decoding: bytes[start..<min(start + size, bytes.count)], as: UTF8.self)
    }
    try await answering(pieces) { client in
      let events = try await events(client)
      #expect(events == [.trouble("late"), .trouble("late")])
    }
  }

  @Test(arguments: ["5\r\nhel", "5\r\nhello\r\n", "5", ""])
  func `tells an answer that breaks off from one that ends`(rest: String) async throws {
    try await answering([Self.head + rest]) { client in
      await #expect(throws: ConnectionError.gone) { try await events(client) }
    }
  }

  @Test(arguments: ["x\r\nhello", "9\r\nno json \n\r\n0\r\n\r\n"])
  func `refuses what is no answer`(rest: String) async throws {
    try await answering([Self.head + rest]) { client in
      await #expect(throws: ConnectionError.unreadable) { try await events(client) }
    }
  }

  @Test func `does not wait for what never comes`() async throws {
    try await answering([Self.head], hangingUp: false) { client in
      await #expect(throws: ConnectionError.silent) {
        let _: [SessionSummary] = try await client.get(Routes.Path.sessions, patience: 1)
      }
    }
  }

  @Test func `takes the error in a stream for what it is`() async throws {
    let error = ServiceError(.tooManyRequests, "no")
    let body = String(decoding: try ServiceJSON.encode(ErrorBody(error)), as: UTF8.self)
    try await answering([Self.head + Self.chunk(body + "\n") + "0\r\n\r\n"]) { client in
      await #expect(throws: error) { try await events(client) }
    }
  }
}
