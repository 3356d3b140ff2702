package import Coordinator
import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Serves a coordinator over HTTP: on the user's socket and, on request, on a network address behind
/// a token.
package struct DoorServer: Sendable {
  /// A network address, and the names by which requests may come to it.
  package struct Network: Sendable {
    let address: ListenAddress
    let names: [HostName]
    /// The origins whose pages may ask models.
    let origins: [PageOrigin]
    let token: String

    package init(
      address: ListenAddress,
      names: [HostName],
      origins: [PageOrigin] = [],
      token: String
    ) {
      self.address = address
      self.names = names
      self.origins = origins
      self.token = token
    }
  }

  private let service: any CoordinatorService
  private let logger: Logger
  private let user = ConnectionLimiter(.user)
  private let network: ConnectionLimiter
  private let visits: PageVisits
  /// What was asked at one address can go on at another.
  private let modelSessions = ModelSessions()

  /// - Parameter visits: The visits of the inspector page; those of the servers of one coordinator.
  package init(
    _ service: any CoordinatorService,
    logger: Logger,
    visits: PageVisits = PageVisits()
  ) {
    self.init(service, logger: logger, network: .network, visits: visits)
  }

  init(
    _ service: any CoordinatorService,
    logger: Logger,
    network: ConnectionLimits,
    visits: PageVisits = PageVisits()
  ) {
    self.service = service
    self.logger = logger
    self.network = ConnectionLimiter(network)
    self.visits = visits
  }

  /// Serves on a socket file until the task is cancelled; an unserved file is replaced.
  package func serve(
    socket path: String,
    onListening: @escaping @Sendable () -> Void
  ) async throws {
    unlink(path)
    defer { unlink(path) }
    do {
      try await serve(.unixDomainSocket(path: path), user, nil) { _ in
        // No other user can connect before the mode is set, because the folder is the user's alone.
        chmod(path, 0o600)
        onListening()
      }
    } catch  where !Task.isCancelled {
      throw CoordinatorError.unusableSocket(path, reason: Self.words(error))
    }
  }

  /// Serves on a network address until the task is cancelled.
  /// - Parameter onListening: Receives the address, with the port if the system chose it.
  package func serve(
    _ network: Network,
    onListening: @escaping @Sendable (ListenAddress) -> Void
  ) async throws {
    let (host, port) = (network.address.host, network.address.port)
    let authorizer = RequestAuthorizer(
      token: network.token,
      names: network.names,
      visits: visits,
      crossOrigin: CrossOrigin(origins: Set(network.origins.map(\.text)))
    )
    do {
      try await serve(.hostname(host, port: Int(port)), self.network, authorizer) { channel in
        let chosen = channel.localAddress?.port.flatMap(UInt16.init) ?? port
        onListening(ListenAddress(host: host, port: chosen))
      }
    } catch  where !Task.isCancelled {
      throw CoordinatorError.cannotListen("\(network.address)", reason: Self.words(error))
    }
  }

  /// Makes a token that cannot be guessed.
  package static func makeToken() -> String {
    (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
  }

  /// Returns when all answers have been read, or after this time at the latest.
  package func answersAreRead(within patience: Duration) async {
    for limiter in [user, network] { await limiter.idle(within: patience) }
  }

  private func serve(
    _ address: BindAddress,
    _ limiter: ConnectionLimiter,
    _ authorizer: RequestAuthorizer?,
    onListening: @escaping @Sendable (any Channel) -> Void
  ) async throws {
    // Its words are about connections that end; what matters reaches the caller as an error.
    var quiet = logger
    quiet.logLevel = .critical
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: limiter.limits.headerBytes,
      maxHeaderListSize: limiter.limits.headerBytes
    )
    let application = Application(
      router: Routes(
        service: service,
        page: Page(visits: visits),
        modelSessions: modelSessions
      ).router(),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [RequestGate(limiter, authorizer)],
          httpDecoderConfiguration: decoder
        )
      ),
      configuration: .init(address: address),
      onServerRunning: onListening,
      eventLoopGroupProvider: .shared(Self.eventLoops),
      logger: quiet
    )
    try await application.run()
    // It only ends without an error when the task is cancelled.
    try Task.checkCancellation()
  }

  /// One thread is enough for what a coordinator serves.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// Describes what kept the server from listening.
  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    // Anything at the path that is not a socket is not removed to make room for one.
    case is UnixDomainSocketPathWrongType: String(cString: strerror(EADDRINUSE))
    default: String(describing: error)
    }
  }
}
