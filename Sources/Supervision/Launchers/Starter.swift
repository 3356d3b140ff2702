import Foundation
import Wire

/// Starts processes from scratch or as forks of a template.
struct Starter: Sendable {
  let pump: Pump
  let executable: String
  /// Whether another build has taken the place of the executable.
  let isReplaced: @Sendable () -> Bool
  /// The launcher for processes started from scratch; `nil` to start them directly.
  let bubblewrap: Bubblewrap?
  /// How long a template may take to fork itself.
  let forkPatience: Duration

  /// Starts the process that is to become what a hello describes.
  ///
  /// - Returns: Its process number.
  func start(
    _ hello: Hello,
    from template: Worker?,
    _ take: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    guard let template else { return try await launch(hello, take) }
    let order = ForkOrder(
      template: template.pid,
      name: hello.run.description,
      message: try MessageEncoder().frames(of: ToWorker.fork(hello.run)).flatMap(\.bytes),
      takesDescriptors: hello.role == .template,
      patience: forkPatience
    )
    return try await pump.fork(order, onEvent: take)
  }

  private func launch(
    _ hello: Hello,
    _ take: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    // A fork is of this build, whatever is there now.
    guard !isReplaced() else {
      throw LaunchError.replaced(folder: (executable as NSString).deletingLastPathComponent)
    }
    let launch = Launch(
      executable: executable,
      arguments: ["--run", hello.run.description],
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment),
      takesDescriptors: hello.role == .template
    )
    guard let bubblewrap else { return try await pump.launch(launch, onEvent: take) }
    return try await pump.launch(bubblewrap.wrap(launch, for: hello)) {
      take(bubblewrap.translate($0))
    }
  }
}
