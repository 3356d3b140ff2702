package import FlyingSocks
package import Foundation
import Synchronization

/// A real server on the loopback interface that handles each connection as a test wants.
package struct TestServer: Sendable {
  package let port: UInt16
  /// The received requests, oldest first.
  private let requests: Requests

  package var url: URL {
    get throws {
      guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
      return url
    }
  }

  package var received: [Request] { requests.all.withLock { $0 } }

  package struct Request: Sendable {
    package let head: String
    package let bytes: [UInt8]

    package var body: String { String(decoding: bytes, as: UTF8.self) }

    package func fields() throws -> [String: Any] {
      let object = try JSONSerialization.jsonObject(with: Data(bytes))
      guard let fields = object as? [String: Any] else { throw URLError(.cannotParseResponse) }
      return fields
    }
  }

  private final class Requests: Sendable {
    let all = Mutex<[Request]>([])
  }

  /// Runs a server for the duration of `body` and then cuts off all remaining connections.
  package static func run<Result: Sendable>(
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
  package static func taken() throws -> (socket: Socket, port: UInt16) {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    return (socket, port)
  }

  /// Answers every request with the same events and closes the connection.
  package static func events<Result: Sendable>(
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
  package typealias Answer = @Sendable (Connection) async throws -> Void

  /// Gives the requests one answer after the other, and the last one to all that follow.
  package static func answers<Result: Sendable>(
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
  package static func events(_ events: [String]) -> Answer {
    { connection in
      let text = events.map { "data: \($0)\n\n" }.joined()
      try await connection.send(Connection.eventsHead + text)
    }
  }

  /// A refusal, with the server's message.
  package static func refusal(
    _ status: String,
    headers: String = "",
    body: String = #"{"error":{"message":"not now"}}"#
  ) -> Answer {
    { try await $0.respond(status, headers: headers, body: body) }
  }
}

/// The server's end of one connection.
package struct Connection: Sendable {
  package static let eventsHead = """
    HTTP/1.1 200 OK\r
    Content-Type: text/event-stream\r
    Connection: close\r
    \r

    """

  package let socket: AsyncSocket

  package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) async throws { try await socket.write(Data(bytes)) }

  /// Sends a complete response.
  package func respond(
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
  package func waitForClose() async {
    while (try? await socket.read(atMost: 1024)) != nil {}
  }

  fileprivate func readRequest() async throws -> TestServer.Request {
    var bytes = Data()
    while true {
      bytes += try await socket.read(atMost: 64 << 10)
      guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { continue }
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      let length = head.lowercased().firstMatch(of: /content-length: *([0-9]+)/)
        .flatMap { Int($0.output.1) }
      let body = bytes[end.upperBound...]
      if body.count >= length ?? 0 { return TestServer.Request(head: head, bytes: Array(body)) }
    }
  }
}
