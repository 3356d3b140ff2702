import FlyingSocks
import Foundation
import Synchronization
import TestSupport

@testable import Telemetry

/// A receiver on the loopback interface that answers each request as a test wants.
struct TestReceiver: Sendable {
  private let server: TestServer

  var heads: [String] { server.received.map(\.head) }
  /// The bytes of the bodies that came.
  var bytes: Int { server.received.reduce(0) { $0 + $1.bytes.count } }

  func settings() throws -> TelemetrySettings {
    try Self.settings(port: server.port)
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
    let count = Mutex(0)
    return try await TestServer.run { connection in
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      try await answer(connection.socket, number)
    } _: { server in
      try await body(TestReceiver(server: server))
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
