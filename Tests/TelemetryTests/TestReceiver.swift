import FlyingSocks
import Foundation
import Synchronization

@testable import Telemetry

/// A receiver on the loopback interface that answers each request as a test wants.
struct TestReceiver: Sendable {
  let port: UInt16
  private let requests: Requests

  private final class Requests: Sendable {
    let all = Mutex<[(head: String, bytes: Int)]>([])
  }

  var heads: [String] { requests.all.withLock { $0.map(\.head) } }
  /// The bytes of the bodies that came.
  var bytes: Int { requests.all.withLock { $0.reduce(0) { $0 + $1.bytes } } }

  func settings() throws -> TelemetrySettings {
    try Self.settings(port: port)
  }

  /// Settings for a receiver at a port, quicker than the usual ones.
  static func settings(port: UInt16) throws -> TelemetrySettings {
    let endpoint = try TelemetryEndpoint(given: "http://127.0.0.1:\(port)")
    var settings = TelemetrySettings(destination: .receiver(endpoint))
    settings.interval = .milliseconds(5)
    return settings
  }

  /// Runs a receiver for the duration of `body` and then cuts off all remaining connections.
  /// - Parameter answer: Answers the request with this number, counted from 0.
  static func run<Result: Sendable>(
    _ answer: @escaping @Sendable (AsyncSocket, Int) async throws -> Void,
    _ body: (TestReceiver) async throws -> Result
  ) async throws -> Result {
    let pool = SocketPool<Poll>.make()
    try await pool.prepare()
    let (listener, port) = try taken()
    try listener.listen()
    let requests = Requests()
    let accepting = try AsyncSocket(socket: listener, pool: pool)
    // This task lives as long as the receiver and ends by cancellation.
    let serving = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        while true {
          let socket = try await accepting.accept()
          group.addTask {
            defer { try? socket.close() }
            guard let request = try? await read(socket) else { return }
            let number = requests.all.withLock { all in
              all.append(request)
              return all.count - 1
            }
            try? await answer(socket, number)
          }
        }
      }
    }
    defer {
      serving.cancel()
      try? listener.close()
    }
    return try await body(TestReceiver(port: port, requests: requests))
  }

  /// Takes a free port, on which nothing listens yet.
  static func taken() throws -> (socket: Socket, port: UInt16) {
    let socket = try Socket(domain: AF_INET, type: .stream)
    try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.disconnected }
    return (socket, port)
  }

  private static func read(_ socket: AsyncSocket) async throws -> (head: String, bytes: Int) {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while true {
      bytes += try await socket.read(atMost: 64 << 10)
      guard let place = Data(bytes).range(of: Data(end)) else { continue }
      let head = String(decoding: bytes[..<place.lowerBound], as: UTF8.self)
      let length = head.lowercased().firstMatch(of: /content-length: ([0-9]+)/)
        .flatMap { Int($0.output.1) }
      let body = bytes.count - place.upperBound
      if body >= length ?? 0 { return (head, body) }
    }
  }

  static func answer(
    _ socket: AsyncSocket,
    _ status: String,
    headers: String = "",
    body: String = ""
  ) async throws {
    let length = "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n"
    let text = "HTTP/1.1 \(status)\r\n\(headers)\(length)\r\n\(body)"
    try await socket.write(Data(text.utf8))
  }
}
