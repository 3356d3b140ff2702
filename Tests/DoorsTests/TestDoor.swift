import FlyingSocks
import Foundation
import Logging
import Testing

@testable import Coordinator
@testable import Doors

/// A server on a network address, in front of a stub, and a client that writes bytes.
struct TestDoor: Sendable {
  static let token = "open-sesame"

  let port: UInt16
  let service: StubService

  /// Serves for the duration of a test.
  /// - Parameters:
  ///   - host: The address on which it listens.
  ///   - names: The host names that requests may use.
  ///   - origins: The origins whose pages may ask models.
  ///   - other: What is served instead of the stub.
  static func open(
    at host: String = "127.0.0.1",
    names: [String] = [],
    origins: [String] = [],
    serving other: (any CoordinatorService)? = nil,
    limits: ConnectionLimits = .network,
    _ service: StubService = StubService(),
    _ body: @escaping @Sendable (TestDoor) async throws -> Void
  ) async throws {
    let network = DoorServer.Network(
      address: ListenAddress(host: host, port: 0),
      names: try names.map { try #require(HostName($0)) },
      origins: try origins.map { try #require(PageOrigin($0)) },
      token: token
    )
    let server = DoorServer(other ?? service, logger: Logger(label: "test"), network: limits)
    let (addresses, found) = AsyncStream<ListenAddress>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve(network) { found.yield($0) } }
      group.addTask {
        let address = try #require(await addresses.first { _ in true })
        try await body(TestDoor(port: address.port, service: service))
      }
      // The server never returns, so the first task to end is the test or a failure to listen.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Connects to one of this machine's addresses.
  func connect(by host: String = "127.0.0.1") async throws -> AsyncSocket {
    host.contains(":")
      ? try await AsyncSocket.connected(to: .inet6(ip6: host, port: port))
      : try await AsyncSocket.connected(to: .inet(ip4: host, port: port))
  }

  /// Sends a request and returns the whole answer.
  func ask(_ request: String, by host: String = "127.0.0.1") async throws -> String {
    let connection = try await connect(by: host)
    defer { try? connection.close() }
    // Even a server that stops reading early sends an answer.
    try? await connection.write(Data(request.utf8))
    return await Self.answer(on: connection)
  }

  static func answer(on connection: AsyncSocket) async -> String {
    var answer: [UInt8] = []
    while let bytes = try? await connection.read(atMost: 4096) { answer += bytes }
    return String(decoding: answer, as: UTF8.self)
  }

  static let prompt = #"{"session":"talk","prompt":"hello"}"#

  /// An acceptable request.
  func request(
    _ fields: [String] = [],
    host: String? = nil,
    token: String? = TestDoor.token,
    path: String = "/v1/prompts",
    body: String = TestDoor.prompt
  ) -> String {
    var lines = ["POST \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    if let token { lines.append("Authorization: Bearer \(token)") }
    lines.append("Content-Length: \(body.utf8.count)")
    return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
