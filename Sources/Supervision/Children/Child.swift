import CSystemCalls
import PlatformLibraries

/// One child, as seen by the event loop's thread.
///
/// Only its input may be used on another thread.
final class Child {
  /// How long output is still read after the exit: a descendant may hold it open.
  private static let drainTimeout = Duration.seconds(2)

  typealias Watcher = @Sendable (ChildEvent) -> ChildReaction

  /// Zero until the process is known.
  private(set) var pid: Int32 = 0
  private let onEvent: Watcher
  private let killsGroup: Bool
  private var exitWatch: Int32 = -1
  let input: ChildInput
  private var output: Int32
  private var error: Int32
  /// Whether the process has ended; it is reaped only after all output is read, so that its number
  /// is not reused before.
  private var hasEnded = false
  private var drainsUntil: SuspendingClock.Instant?
  /// Kept because allocating it takes longer than most reads.
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Starts a program.
  convenience init(_ launch: Launch, onEvent: @escaping Watcher) throws(LaunchError) {
    let pipes = try ChildPipes(inputIsSocket: launch.takesDescriptors)
    defer { pipes.closeChildEnds() }
    var pid: pid_t = 0
    let arguments = CStrings([launch.executable] + launch.arguments)
    let environment = CStrings(launch.environment.map { "\($0.key)=\($0.value)" }.sorted())
    let problem = csystem_spawn(
      launch.executable,
      arguments.pointers,
      environment.pointers,
      pipes.childEnds[0],
      pipes.childEnds[1],
      pipes.childEnds[2],
      &pid
    )
    guard problem == 0 else {
      pipes.closeOwnEnds()
      throw .system(call: "starting \(launch.executable)", code: problem)
    }
    self.init(pipes: pipes, killsGroup: launch.killsGroup, onEvent: onEvent)
    identify(as: pid)
  }

  /// Creates a child that a template forks; its output can be read before its process is known.
  init(pipes: ChildPipes, killsGroup: Bool = true, onEvent: @escaping Watcher) {
    self.onEvent = onEvent
    self.killsGroup = killsGroup
    for fd in [pipes.input, pipes.output, pipes.error] { _ = csystem_nonblocking(fd) }
    input = ChildInput(pipes.input)
    (output, error) = (pipes.output, pipes.error)
  }

  /// Adopts and kills a process of which only the end matters.
  init(stray pid: Int32) {
    onEvent = { _ in .goOn }
    killsGroup = true
    input = ChildInput(-1)
    (output, error) = (-1, -1)
    identify(as: pid)
    signal(SIGKILL)
  }

  func identify(as pid: Int32) {
    self.pid = pid
    if killsGroup { csystem_register_child(pid) }
    exitWatch = csystem_pidfd(pid)
  }

  /// Whether the child's standard output is closed.
  var hasClosedOutput: Bool { output < 0 }

  deinit {
    for fd in [output, error, exitWatch] where fd >= 0 { close(fd) }
  }

  var pollRequests: [pollfd] {
    var requests: [pollfd] = []
    if output >= 0 { requests.append(pollfd(fd: output, events: Int16(POLLIN), revents: 0)) }
    if error >= 0 { requests.append(pollfd(fd: error, events: Int16(POLLIN), revents: 0)) }
    if let request = input.pollRequest { requests.append(request) }
    if !hasEnded, exitWatch >= 0 {
      requests.append(pollfd(fd: exitWatch, events: Int16(POLLIN), revents: 0))
    }
    return requests
  }

  /// How long to wait at most before looking again; `nil` for no bound.
  var milliseconds: Int32? {
    if let drainsUntil { return SuspendingClock.now.duration(to: drainsUntil).pollMilliseconds }
    // Without an exit descriptor, the exit is polled for once the output has ended.
    return exitWatch < 0 && pid > 0 ? 20 : nil
  }

  func serve(_ request: pollfd) {
    switch request.fd {
    case output:
      read(&output) { .output($0) }
      if output < 0 { _ = onEvent(.outputClosed) }
    case error: read(&error) { .error($0) }
    case exitWatch: noteEnd()
    default: input.serve()
    }
  }

  func signal(_ signal: Int32) {
    guard !hasEnded, pid > 0 else { return }
    if killsGroup { kill(-pid, signal) }
    kill(pid, signal)
  }

  /// Reports the child's exit once it has ended and its output is read or given up on.
  ///
  /// - Returns: Whether everything about the child has been reported.
  func reportEndIfOver() -> Bool {
    if exitWatch < 0 { noteEnd() }
    guard hasEnded else { return false }
    let isOver = output < 0 && error < 0
    guard isOver || drainsUntil.map({ $0 <= .now }) == true else { return false }
    _ = onEvent(.exited(collectEnd()))
    return true
  }

  private func read(_ fd: inout Int32, _ event: ([UInt8]) -> ChildEvent) {
    let count = systemRead(fd, into: &buffer)
    if count > 0 {
      if onEvent(event(Array(buffer[..<count]))) == .kill { signal(SIGKILL) }
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(fd)
      fd = -1
    }
  }

  private func noteEnd() {
    guard !hasEnded, pid > 0 else { return }
    switch ChildState(of: pid) {
    case .alive?, nil: return
    // What the child started in its group goes with it.
    case .ended? where killsGroup: kill(-pid, SIGKILL)
    case .ended?, .foreign?: break
    }
    csystem_unregister_child(pid)
    hasEnded = true
    drainsUntil = SuspendingClock.now + Self.drainTimeout
    input.close()
  }

  private func collectEnd() -> ExitStatus {
    var raw: Int32 = 0
    // If it was reaped elsewhere, that it is gone is known, but not how it ended.
    guard waitpid(pid, &raw, 0) == pid else { return .signal(SIGKILL) }
    let signal = raw & 0x7F
    return signal == 0 ? .code((raw >> 8) & 0xFF) : .signal(signal)
  }
}

extension Duration {
  /// The timeout to pass to `poll`, clamped to what it accepts.
  var pollMilliseconds: Int32 {
    let whole: Double = max(.zero, self) / .milliseconds(1)
    return Int32(min(whole, Double(Int32.max - 1))) + 1
  }
}

/// A null-terminated list of C strings that lives as long as this object.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) {
    pointers = strings.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}
