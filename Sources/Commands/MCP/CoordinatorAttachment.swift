import Coordinator
import Doors
import Foundation
import Terminal

/// The coordinator that answers an MCP client: the one that runs, or else an own one, which other
/// programs find as they would any.
actor CoordinatorAttachment {
  private struct Own {
    let coordinator: Coordinator
    let service: LocalCoordinator
    /// Serves, and closes the coordinator afterwards.
    let serving: Task<Void, any Error>
  }

  /// How long another coordinator may take to listen or to end.
  private static let patience = Duration.seconds(60)

  private let options: CoordinatorOptions
  private let settings: CoordinatorSettings
  private var own: Own?
  private var finding: Task<any CoordinatorService, any Error>?
  private var isClosed = false
  private let (starts, started) = AsyncStream<Void>.makeStream()

  init(_ options: CoordinatorOptions) throws {
    self.options = options
    settings = try options.settings()
  }

  /// Returns the coordinator; one that has stopped meanwhile is replaced.
  func service() async throws -> any CoordinatorService {
    if let own { return own.service }
    if let finding { return try await finding.value }
    // Unstructured: all requests that come meanwhile wait for it, whichever of them is cancelled.
    let task = Task { try await find() }
    finding = task
    defer { finding = nil }
    return try await task.value
  }

  /// Returns when an own coordinator has ended, or when this is closed.
  func ended() async throws {
    for await _ in starts { break }
    try await own?.serving.value
  }

  /// Ends an own coordinator, even one that is starting.
  func close() async {
    isClosed = true
    started.finish()
    finding?.cancel()
    _ = try? await finding?.value
    own?.service.stop()
    _ = try? await own?.serving.value
  }

  private func find() async throws -> any CoordinatorService {
    try await CommandEnvironment.whileAnotherRuns(until: ContinuousClock.now + Self.patience) {
      if let (service, status) = try await RemoteCoordinator.running(settings.folders) {
        try options.checkAttached(to: status)
        return service
      }
      guard !isClosed else { throw CancellationError() }
      return try await start()
    }
  }

  private func start() async throws -> any CoordinatorService {
    let coordinator = try await Coordinator(settings, logger: options.logger(settings.folders))
    let service = LocalCoordinator(coordinator, isAttended: false)
    let daemon = Daemon(coordinator: coordinator, service: service, door: nil)
    let (listening, listeningBegan) = AsyncStream<Void>.makeStream()
    // Unstructured: it serves until it is stopped, which is waited for then.
    let serving = Task {
      defer { listeningBegan.finish() }
      do {
        // Concurrently, because turns that were interrupted may take long.
        async let resumed: Void = coordinator.resumeInterrupted(except: nil, isAttended: false)
        try await daemon.serve(warmsAll: false) { listeningBegan.finish() }
        await resumed
      } catch {
        await coordinator.close()
        throw error
      }
      await coordinator.close()
    }
    for await _ in listening {}
    own = Own(coordinator: coordinator, service: service, serving: serving)
    started.yield()
    if isClosed { service.stop() }
    return service
  }
}

extension CoordinatorOptions {
  /// Refuses options that a running coordinator cannot follow for a client that stays.
  fileprivate func checkAttached(to status: CoordinatorStatus) throws(CommandError) {
    try check(against: status)
    let given = [("--agent", agent != nil), ("--caps", caps != nil)].filter(\.1).map(\.0)
    guard given.isEmpty else {
      throw .otherCoordinator(
        pid: status.pid,
        options: given,
        agents: status.agents,
        model: status.model
      )
    }
  }
}
