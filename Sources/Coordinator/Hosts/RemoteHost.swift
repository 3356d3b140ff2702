import Coordination
package import Outposts
import Supervision
package import Wire

/// What the pool needs of a host; an outpost provides it.
protocol RemoteHost: Sendable {
  var status: HostStatus { get async }
  /// Places a worker there, and starts the outpost if it is off.
  func place(
    _ configuration: WorkerConfiguration,
    onWait: @escaping @Sendable (LaunchWait) -> Void
  ) async throws -> any WorkerLink
  func start() async throws
  func expect(_ configuration: WorkerConfiguration) async
  func drain() async
  func resume() async
  func close() async
}

extension Outpost: RemoteHost {
  func place(
    _ configuration: WorkerConfiguration,
    onWait: @escaping @Sendable (LaunchWait) -> Void
  ) async throws -> any WorkerLink {
    try await launch(configuration) { onWait(LaunchWait($0)) }
  }
}

extension OutpostWorker: WorkerLink {
  package func kill(_ cause: Death.Cause) { terminate(reason: cause) }

  package func retire() async -> Bool {
    await end(by: .retire)
    return hasEnded
  }
}
