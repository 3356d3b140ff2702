import Foundation
package import Supervision
package import Wire

/// A host from here: starts its outpost when a worker is wanted there, and carries its workers' pipes.
package actor Outpost {
  /// Called whenever the state of the host changes.
  package typealias StateHandler = @Sendable (HostStatus) -> Void

  package nonisolated let host: HostDefinition
  private let parts: HomeParts

  /// - Parameters:
  ///   - index: Which of the outposts of a host with several it is.
  ///   - eventLoop: Starts the launcher.
  ///   - note: Receives lines for the coordinator's log.
  ///   - onChange: Receives the host's status whenever its state changes.
  package init(
    _ host: HostDefinition,
    index: Int = 0,
    parts: HomeParts,
    timeouts: OutpostTimeouts = OutpostTimeouts(),
    eventLoop: ChildEventLoop,
    note: @escaping @Sendable (String) -> Void = { _ in },
    onChange: @escaping StateHandler = { _ in }
  ) {
    self.host = host
    self.parts = parts
  }

  package var status: HostStatus { HostStatus(name: host.name, state: .off, since: .now) }

  /// Places a worker there, from a warm template where there is one; starts the outpost when it is
  /// off.
  ///
  /// If a spare becomes the worker, its run differs from the configuration's. All paths of the
  /// configuration are of this machine, but for those of permissions.
  ///
  /// - Throws: `OutpostError`, `MemoryShortage`, `CancellationError`.
  package func launch(
    _ configuration: WorkerConfiguration,
    onWait: @escaping MemoryQueue.WaitHandler = { _ in }
  ) async throws -> OutpostWorker {
    throw OutpostError.unavailable(host: host.name, .off)
  }

  /// Starts the outpost if it is off, and returns once it can be used.
  ///
  /// - Throws: `OutpostError`, `CancellationError`.
  package func start() async throws {}

  /// Keeps a spare there, because a worker of its kind is likely to be wanted soon.
  package func expect(_ configuration: WorkerConfiguration) async {}

  /// Lets the workers there end their work, and then gives the machine back.
  package func drain() {}

  /// Ends all workers there and the outpost.
  package func close() async {}
}
