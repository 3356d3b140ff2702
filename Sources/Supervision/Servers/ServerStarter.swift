import PlatformLibraries
package import Wire

/// Starts programs of other makers that serve on their standard input and output, as children like
/// workers: with the same launcher, sandbox, logs and end.
package struct ServerStarter: Sendable {
  private let eventLoop: ChildEventLoop
  private let launcher: any Launcher
  /// The worker's program, which becomes the server's.
  private let executable: String
  private let sandbox: SandboxPolicy?
  private let pidFiles: PIDFiles?
  private let logs: @Sendable (RunID) -> String

  package init(
    eventLoop: ChildEventLoop,
    launcher: any Launcher,
    executable: String,
    sandbox: SandboxPolicy?,
    pidFiles: PIDFiles?,
    logs: @escaping @Sendable (RunID) -> String
  ) {
    self.eventLoop = eventLoop
    self.launcher = launcher
    self.executable = executable
    self.sandbox = sandbox
    self.pidFiles = pidFiles
    self.logs = logs
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - run: The name of its log and of its scratch folder; only one of a name may live.
  ///   - environment: All of its variables.
  ///   - confinement: What it may reach besides its scratch folder.
  package func start(
    _ program: ServerProgram,
    as run: RunID,
    environment: [String: String],
    confinement: Confinement
  ) async throws -> ServerProcess {
    var program = program
    var configuration = WorkerConfiguration(run: run, plugin: nil, model: nil, contextSize: nil)
    if let sandbox {
      // Each life of a server has the same scratch folder, which that of the last may be losing.
      await SandboxPolicy.finishRemovals()
      configuration.confinement = confinement
      configuration.confinement = try sandbox.confinement(for: configuration)
      program.confinement = configuration.confinement
    }
    let text = String(decoding: try JSONEncoder().encode(program), as: UTF8.self)
    let launch = Launch(
      executable: executable,
      arguments: [ServerProgram.verb, text],
      environment: environment,
      killsGroup: launcher.traits.contains(.killsGroup)
    )
    let process = ServerProcess(log: WorkerLog(path: logs(run)), eventLoop: eventLoop)
    let onEnd: @Sendable () -> Void = { [sandbox, pidFiles] in
      sandbox?.removeScratch(of: run)
      pidFiles?.remove(run)
    }
    let pid = try await eventLoop.launch(launcher.wrap(launch, for: configuration)) {
      [launcher] event in
      process.handle(launcher.interpret(event), onEnd)
    }
    process.identify(as: pid)
    pidFiles?.record(run, pid: pid)
    if process.hasEnded { onEnd() }
    return process
  }
}
