import Coordination
import Outposts
import Supervision
import Wire

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
    HostWorker(try await launch(configuration) { onWait(LaunchWait($0)) })
  }
}

/// A worker on another machine as Coordination sees it.
private struct HostWorker: WorkerLink {
  private let worker: OutpostWorker

  init(_ worker: OutpostWorker) { self.worker = worker }

  var run: RunID { worker.run }
  var host: String? { worker.host }
  var pid: Int32 { worker.pid }
  var log: String { worker.log }
  var events: AsyncStream<WorkerEvent> { worker.events }
  var memory: Int? { worker.memory }
  var progress: WorkProgress? { worker.progress }

  func send(_ message: ToWorker) throws { try worker.send(message) }
  func kill(_ cause: Death.Cause) { worker.terminate(reason: cause) }

  func retire() async -> Bool {
    await worker.end(by: .retire)
    return worker.hasEnded
  }
}
