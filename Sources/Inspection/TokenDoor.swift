import FlyingFox
import FlyingSocks
import Foundation

/// The network door, behind a token: on the loopback interface unless a person insists on another.
///
/// It reads a request within limits of size and time, and passes what the doorkeeper lets in to the
/// socket that only the user can reach. Each connection carries one request.
struct TokenDoor: Sendable {
  struct Patience: Sendable {
    /// How long a request may take to arrive.
    var request = Duration.seconds(10)
    /// How long a client may take to read a piece of the answer.
    var reading = Duration.seconds(30)
  }

  /// How many requests are answered at once.
  static let maximumConnections = 32
  /// How many requests may be arriving or being refused at once.
  static let maximumArrivals = 64

  let keeper: Doorkeeper
  /// The socket file of the control plane.
  let inside: String
  var patience = Patience()

  /// Serves on a socket until the task is cancelled, and then closes it.
  func serve(on socket: Socket, onListening: @escaping @Sendable () -> Void) async throws {
    defer { try? socket.close() }
    let pool = HTTPServer.defaultPool()
    try await pool.prepare()
    try socket.listen(maxPendingConnection: Int32(Self.maximumConnections))
    let listener = try AsyncSocket(socket: socket, pool: pool)
    onListening()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.run() }
      group.addTask { try await accept(from: listener, pool) }
      // Neither ends by itself: the first to end is a failure or cancellation.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func accept(from listener: AsyncSocket, _ pool: some AsyncSocketPool) async throws {
    let lobby = Lobby(arrivals: Self.maximumArrivals, guests: Self.maximumConnections)
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        guard let connection = try? await listener.accept() else {
          // Perhaps there are no descriptors left; the end of a connection frees some.
          try? await Task.sleep(for: .milliseconds(50))
          continue
        }
        // Entered here, so that clients are counted in the order in which they came.
        let number = lobby.enter(connection.socket.file.rawValue)
        group.addTask {
          await answer(connection, pool, lobby, number)
          lobby.leave(number)
          try? connection.close()
        }
      }
    }
    try Task.checkCancellation()
  }

  private func answer(
    _ connection: AsyncSocket,
    _ pool: some AsyncSocketPool,
    _ lobby: Lobby,
    _ number: Int
  ) async {
    do {
      let request: Data
      do {
        request = try await within(patience.request, or: .timeout) { try await read(connection) }
      } catch  where lobby.hasSentAway(number) {
        throw Doorkeeper.Refusal.busy
      }
      guard lobby.letIn(number) else { throw Doorkeeper.Refusal.busy }
      let server = try await AsyncSocket.connected(to: .unix(path: inside), pool: pool)
      defer { try? server.close() }
      try await server.write(request)
      await relay(from: server, to: connection)
    } catch let refusal as Doorkeeper.Refusal {
      let answer = Data(refusal.answer.utf8)
      try? await within(.seconds(1), or: .timeout) { try await refuse(answer, connection) }
    } catch {
      // The client is gone, or the coordinator is shutting down.
    }
  }

  /// Sends an answer and reads the rest of the request: hanging up would discard the answer.
  private func refuse(_ answer: Data, _ connection: AsyncSocket) async throws {
    try await connection.write(answer)
    shutdown(connection.socket.file.rawValue, Int32(SHUT_WR))
    var heard = 0
    while heard < Doorkeeper.maximumBody { heard += try await connection.read(atMost: 4096).count }
  }

  /// Reads a request and turns it into the one that is passed on.
  private func read(_ connection: AsyncSocket) async throws -> Data {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    var place: Int?
    while place == nil {
      guard bytes.count < Doorkeeper.maximumHead else { throw Doorkeeper.Refusal.headTooLarge }
      let start = max(0, bytes.count - 3)
      bytes += try await connection.read(atMost: 4096)
      place = bytes[start...].indices.first { bytes[$0...].starts(with: end) }
    }
    guard let place, place <= Doorkeeper.maximumHead, let head = try? RequestHead(bytes[..<place])
    else { throw Doorkeeper.Refusal.badRequest }
    let length = try keeper.check(head, at: try Self.address(of: connection))
    var body = Array(bytes[(place + end.count)...].prefix(length))
    while body.count < length {
      body += try await connection.read(atMost: min(64 * 1024, length - body.count))
    }
    return Data(head.forwarded + body)
  }

  /// Returns the address of this machine to which a connection came.
  private static func address(of connection: AsyncSocket) throws -> String {
    switch try connection.socket.sockname() {
    case .ip4(let host, _): return host
    case .ip6(let host, _):
      // An IPv4 address as reported by an IPv6 socket.
      let prefix = "::ffff:"
      return host.hasPrefix(prefix) && host.contains(".")
        ? String(host.dropFirst(prefix.count)) : host
    case .unix: return ""
    }
  }

  /// Relays the answer until it ends or nobody reads it any more.
  private func relay(from server: AsyncSocket, to connection: AsyncSocket) async {
    await withTaskGroup(of: Void.self) { group in
      // Further input is read and ignored, because unread input would discard the answer. Its end
      // says nothing: a client may close its sending half and wait. That it has gone shows when
      // something is written to it.
      group.addTask { while (try? await connection.read(atMost: 4096)) != nil {} }
      while let bytes = try? await server.read(atMost: 64 * 1024) {
        let data = Data(bytes)
        let isRead: Void? = try? await within(patience.reading, or: .timeout) {
          try await connection.write(data)
        }
        guard isRead != nil else { break }
      }
      group.cancelAll()
    }
  }

  private func within<Value: Sendable>(
    _ patience: Duration,
    or refusal: Doorkeeper.Refusal,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await body() }
      group.addTask {
        // While the machine sleeps, nothing can arrive or be read.
        try await Task.sleep(for: patience, clock: .suspending)
        throw refusal
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw refusal }
      return value
    }
  }
}
