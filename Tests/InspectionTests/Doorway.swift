import FlyingFox
import FlyingSocks
import Foundation
import Testing

@testable import Inspection

/// A door on the loopback interface, and a server behind it that reports what it receives.
final class Doorway: Sendable {
  static let token = "open-sesame"

  let port: UInt16
  private let folder: String
  private let pool: any AsyncSocketPool

  /// Opens the door for the duration of a test.
  /// - Parameters:
  ///   - host: The address on which the door listens.
  ///   - names: The host names that requests may use.
  ///   - answers: Whether the server behind the door finishes its answers.
  static func open(
    at host: String = "127.0.0.1",
    names: [String] = [],
    patience: TokenDoor.Patience = .init(),
    answers: Bool = true,
    _ body: @escaping @Sendable (Doorway, AsyncStream<String>) async throws -> Void
  ) async throws {
    let pool = HTTPServer.defaultPool()
    try await pool.prepare()
    // Binds a free port at once, so that nobody else can take it.
    let place = try #require(DoorAddress(DoorAddress.text(host, 0)))
    let standing = try StandingDoor(at: place)
    let doorway = try Doorway(pool, port: standing.address.port)
    defer { try? FileManager.default.removeItem(atPath: doorway.folder) }
    let inside = try Socket(domain: Int32(AF_UNIX))
    defer { try? inside.close() }
    try inside.bind(to: .unix(path: doorway.path))
    try inside.listen()
    let listener = try AsyncSocket(socket: inside, pool: pool)
    let (events, told) = AsyncStream<String>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await Self.stay("the pool") { try await pool.run() } }
      group.addTask {
        try await Self.stay("the one inside") {
          try await Self.serve(listener, answers: answers, told)
        }
      }
      let (listening, listeningBegan) = AsyncStream<Void>.makeStream()
      group.addTask {
        let names = try names.map { try #require(DoorName($0)) }
        let keeper = Doorkeeper(token: token, address: standing.address, names: names)
        let door = TokenDoor(keeper: keeper, inside: doorway.path, patience: patience)
        try await Self.stay("the door") {
          try await door.serve(on: standing.socket) { listeningBegan.yield() }
        }
      }
      group.addTask {
        for await _ in listening { break }
        try await body(doorway, events)
      }
      // Only the test itself may end without an error.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Runs work that must go on until it is cancelled.
  ///
  /// An early return is an error; otherwise it would end the test and hide its failures.
  private static func stay(_ name: String, _ work: () async throws -> Void) async throws {
    try await work()
    guard Task.isCancelled else { throw EndedEarly(name: name) }
  }

  struct EndedEarly: Error {
    let name: String
  }

  private var path: String { folder + "/inside.sock" }

  private init(_ pool: any AsyncSocketPool, port: UInt16) throws {
    self.pool = pool
    self.port = port
    folder = "/tmp/door-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  private static func serve(
    _ listener: AsyncSocket,
    answers: Bool,
    _ told: AsyncStream<String>.Continuation
  ) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for try await connection in listener.sockets {
        group.addTask {
          var request: [UInt8] = []
          while request.last != 4, let bytes = try? await connection.read(atMost: 4096) {
            request += bytes
          }
          let text = String(decoding: request.filter { $0 != 4 }, as: UTF8.self)
          told.yield(text)
          try? await connection.write(Data("HTTP/1.1 200 OK\r\n\r\n\(text)".utf8))
          if !answers { while (try? await connection.write(Data("more".utf8))) != nil {} }
          told.yield("over")
          try? connection.close()
        }
      }
    }
  }

  /// Connects from outside to one of this machine's addresses.
  func connect(by host: String = "127.0.0.1") async throws -> AsyncSocket {
    if host.contains(":") {
      return try await AsyncSocket.connected(to: .inet6(ip6: host, port: port), pool: pool)
    }
    return try await AsyncSocket.connected(to: .inet(ip4: host, port: port), pool: pool)
  }

  /// Sends a request and returns the whole answer.
  func ask(_ request: String, by host: String = "127.0.0.1") async throws -> String {
    let connection = try await connect(by: host)
    defer { try? connection.close() }
    // Even a door that stops reading early sends an answer.
    try? await connection.write(Data(request.utf8))
    return await Self.answer(on: connection)
  }

  static func answer(on connection: AsyncSocket) async -> String {
    var answer: [UInt8] = []
    while let bytes = try? await connection.read(atMost: 4096) { answer += bytes }
    return String(decoding: answer, as: UTF8.self)
  }

  /// An acceptable request whose last byte marks the end for the server behind the door.
  func request(
    _ fields: [String] = [],
    host: String? = nil,
    token: String? = Doorway.token,
    body: String = ""
  ) -> String {
    var lines = ["POST /v1/prompts HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"]
    if let token { lines.append("Authorization: Bearer \(token)") }
    lines.append("Content-Length: \(body.utf8.count + 1)")
    return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body + "\u{4}"
  }
}
