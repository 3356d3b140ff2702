import PlatformLibraries
import Wire

/// Starts processes from scratch or as forks of a template.
struct Starter: Sendable {
  let eventLoop: ChildEventLoop
  let launcher: any Launcher
  let executable: String
  /// Whether another build has taken the place of the executable.
  let isReplaced: @Sendable () -> Bool
  /// How long a template may take to fork itself.
  let forkTimeout: Duration

  /// Starts the process that is to become what a configuration describes.
  ///
  /// - Returns: Its process number.
  func start(
    _ configuration: WorkerConfiguration,
    from template: WorkerHandle?,
    _ onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    guard let template else { return try await launch(configuration, onEvent) }
    let order = ForkOrder(
      template: template.pid,
      name: configuration.run.description,
      message: try MessageEncoder().frames(of: ToWorker.fork(configuration.run)).flatMap(\.bytes),
      takesDescriptors: configuration.role == .template,
      timeout: forkTimeout
    )
    return try await eventLoop.fork(order, onEvent: onEvent)
  }

  private func launch(
    _ configuration: WorkerConfiguration,
    _ onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws -> Int32 {
    // A fork is of this build, even when the file has been replaced.
    guard !isReplaced() else {
      throw LaunchError.replaced(
        folder: String(executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
      )
    }
    let launch = Launch(
      executable: executable,
      arguments: ["--run", configuration.run.description],
      environment: WorkerEnvironment.variables(of: ProcessInfo.processInfo.environment),
      takesDescriptors: configuration.role == .template,
      killsGroup: launcher.traits.contains(.killsGroup)
    )
    return try await eventLoop.launch(launcher.wrap(launch, for: configuration)) {
      onEvent(launcher.interpret($0))
    }
  }
}
