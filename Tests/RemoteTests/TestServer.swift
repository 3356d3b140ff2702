import FlyingSocks
import Foundation
import Synchronization
import Testing

/// A real server on the loopback interface that handles each connection as a test wants.
struct TestServer: Sendable {
  let port: UInt16
  /// The received requests, oldest first.
  private let requests: Requests

  var url: URL {
    get throws { try #require(URL(string: "http://127.0.0.1:\(port)")) }
  }

  var received: [Request] { requests.all.withLock { $0 } }

  struct Request: Sendable {
    let head: String
    let body: String

    func fields() throws -> [String: Any] {
      let object = try JSONSerialization.jsonObject(with: Data(body.utf8))
      return try #require(object as? [String: Any])
    }
  }

  private final class Requests: Sendable {
    let all = Mutex<[Request]>([])
  }

  /// Runs a server for the duration of `body` and then cuts off all remaining connections.
  static func run<Result: Sendable>(
    _ answer: @escaping @Sendable (Connection) async throws -> Void,
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let pool = SocketPool<Poll>.make()
    try await pool.prepare()
    let (listener, port) = try taken()
    try listener.listen()
    let requests = Requests()
    let accepting = try AsyncSocket(socket: listener, pool: pool)
    // This task lives as long as the server and ends by cancellation.
    let serving = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        while true {
          let socket = try await accepting.accept()
          group.addTask {
            defer { try? socket.close() }
            let connection = Connection(socket: socket)
            let request = try await connection.readRequest()
            requests.all.withLock { $0.append(request) }
            // Tests of faults break connections on purpose.
            try? await answer(connection)
          }
        }
      }
    }
    defer {
      serving.cancel()
      try? listener.close()
    }
    return try await body(TestServer(port: port, requests: requests))
  }

  /// Takes a free port, on which nothing listens yet.
  static func taken() throws -> (socket: Socket, port: UInt16) {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    return (socket, port)
  }

  /// Answers every request with the same events and closes the connection.
  static func events<Result: Sendable>(
    _ events: [String],
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    try await run(
      { connection in
        try await connection.send(Connection.eventsHead)
        for event in events { try await connection.send("data: \(event)\n\n") }
      },
      body
    )
  }
}

extension TestServer {
  typealias Answer = @Sendable (Connection) async throws -> Void

  /// Gives the requests one answer after the other, and the last one to all that follow.
  static func answers<Result: Sendable>(
    _ answers: [Answer],
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    let count = Mutex(0)
    return try await run(
      { connection in
        let place = count.withLock { count in
          defer { count += 1 }
          return count
        }
        try await answers[min(place, answers.count - 1)](connection)
      },
      body
    )
  }

  /// An answer in events.
  static func events(_ events: [String]) -> Answer {
    { connection in
      let text = events.map { "data: \($0)\n\n" }.joined()
      try await connection.send(Connection.eventsHead + text)
    }
  }

  /// A refusal, with the server's message.
  static func refusal(
    _ status: String,
    headers: String = "",
    body: String = #"{"error":{"message":"not now"}}"#
  ) -> Answer {
    { try await $0.respond(status, headers: headers, body: body) }
  }
}

/// The server's end of one connection.
struct Connection: Sendable {
  static let eventsHead = """
    HTTP/1.1 200 OK\r
    Content-Type: text/event-stream\r
    Connection: close\r
    \r

    """

  let socket: AsyncSocket

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws { try await socket.write(Data(bytes)) }

  /// Sends a complete response.
  func respond(
    _ status: String,
    type: String = "application/json",
    headers: String = "",
    body: String
  ) async throws {
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: \(type)\r
      Content-Length: \(body.utf8.count)\r
      \(headers)Connection: close\r
      \r

      """
    try await send(head + body)
  }

  /// Returns when the other end has closed the connection.
  func waitForClose() async {
    while (try? await socket.read(atMost: 1024)) != nil {}
  }

  func readRequest() async throws -> TestServer.Request {
    var bytes: [UInt8] = []
    while true {
      bytes += try await socket.read(atMost: 4096)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let head = String(text[..<end.lowerBound])
      let length = head.split(separator: "\r\n").compactMap { line -> Int? in
        let parts = line.split(separator: ":")
        guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
        return Int(parts[1].trimmingCharacters(in: .whitespaces))
      }
      let body = text[end.upperBound...]
      if body.utf8.count >= length.first ?? 0 {
        return TestServer.Request(head: head, body: String(body))
      }
    }
  }
}
