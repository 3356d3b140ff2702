import PlatformLibraries
import Supervision
import Synchronization

/// The process that brought an outpost about, such as `ssh`, and whose pipes lead there.
final class LauncherProcess: Sendable {
  /// How long it may take to end once its input is closed, once it was asked to, and once it was
  /// killed.
  ///
  /// Some launchers report the end of what they launched to an engine first.
  private static let patience: [Duration] = [.seconds(2), .seconds(8), .seconds(1)]

  /// What it, and the outpost itself, write to their standard error.
  let log: WorkerLog
  let eventLoop: ChildEventLoop
  private let pid = Atomic<Int32>(0)
  private let exited = Latch()
  /// What may carry the channel in place of the pipes.
  let direct = DirectRoute()

  init(log: WorkerLog, eventLoop: ChildEventLoop) {
    self.log = log
    self.eventLoop = eventLoop
  }

  /// Starts a program, looked for in the folders of PATH.
  ///
  /// - Throws: `LaunchError`.
  func start(
    _ arguments: [String],
    environment: [String: String],
    onEvent: @escaping @Sendable (ChildEvent) -> ChildReaction
  ) async throws {
    guard
      var launch = Launch(command: arguments, environment: Self.variables(of: environment))
    else {
      throw LaunchError.system(call: "starting \(arguments.first ?? "nothing")", code: ENOENT)
    }
    // Killing the group of some launchers leaves what they launched behind, and out of reach.
    launch.killsGroup = false
    let pid = try await eventLoop.launch(launch) { [log, exited] event in
      if case .error(let bytes) = event { log.append(bytes) }
      if case .exited = event {
        exited.open()
        log.close()
      }
      return onEvent(event)
    }
    self.pid.store(pid, ordering: .sequentiallyConsistent)
  }

  /// What launchers need to find their way and to prove who they are, and nothing else: some of them
  /// pass all variables on to the other machine.
  static func variables(of own: [String: String]) -> [String: String] {
    let needed: Set = [
      "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR",
      "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "KRB5CCNAME", "KUBECONFIG", "SLURM_CONF",
    ]
    return own.filter { needed.contains($0.key) }
  }

  /// Writes what waits to be sent.
  func write(from sender: ChannelSender) {
    let pid = pid.load(ordering: .sequentiallyConsistent)
    direct.write {
      // Its number may belong to another process once it has exited.
      guard pid > 0, !exited.isOpen else { return }
      sender.drain { [eventLoop] bytes in eventLoop.write(bytes, to: pid) }
    }
  }

  /// Runs a command to its end, for which it has some seconds.
  static func run(
    _ command: [String],
    _ environment: [String: String],
    log: WorkerLog,
    _ eventLoop: ChildEventLoop
  ) async {
    let process = LauncherProcess(log: log, eventLoop: eventLoop)
    try? await process.start(command, environment: environment) { _ in .goOn }
    await process.waitForExit(.seconds(10))
    await process.end(atOnce: true)
  }

  private func waitForExit(_ timeout: Duration) async {
    if pid.load(ordering: .sequentiallyConsistent) > 0 { _ = await exited.wait(timeout) }
  }

  /// Ends it, step by step: of it alone, since what it launched ends by itself.
  ///
  /// - Parameter atOnce: Whether it is asked to end without the time to do so by itself.
  func end(atOnce: Bool = false) async {
    let pid = pid.load(ordering: .sequentiallyConsistent)
    guard pid > 0 else { return }
    let steps: [() -> Void] = [
      { self.eventLoop.closeInput(of: pid) }, { self.eventLoop.signal(SIGTERM, to: pid) },
      { self.eventLoop.signal(SIGKILL, to: pid) },
    ]
    for (index, step) in steps.enumerated() {
      if exited.isOpen { return }
      step()
      if atOnce, index == 0 { continue }
      if await exited.wait(Self.patience[index]) { return }
    }
  }
}
