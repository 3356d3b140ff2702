import CSystem
import Foundation

/// One child, as the pump's thread sees it.
///
/// Never used on another thread, but for its input.
final class Child {
  /// How long output is still read after the end: something that the child started may hold it open.
  private static let drainPatience = Duration.seconds(2)

  #if os(Linux)
    /// How many bytes the kernel counts as one where it tells the most that a process occupied.
    private static let unitOfPeak = 1024
    private static let thisProcess = __rusage_who_t(RUSAGE_SELF.rawValue)
  #else
    private static let unitOfPeak = 1
    private static let thisProcess = RUSAGE_SELF
  #endif

  typealias Watcher = @Sendable (ChildEvent) -> ChildReaction

  /// Zero as long as nobody knows which process it is.
  private(set) var pid: Int32 = 0
  private let onEvent: Watcher
  private var exitWatch: Int32 = -1
  let input: ChildInput
  private var output: Int32
  private var error: Int32
  /// It has ended, and is collected when all is read: until then nobody else gets its number.
  private var hasEnded = false
  private var drainsUntil: ContinuousClock.Instant?
  /// Kept, because to make it takes longer than to read what there mostly is.
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
    self.init(pipes: pipes, onEvent: onEvent)
    identify(as: pid)
  }

  /// A process that somebody forks for this one: it can be heard before it is known which it is.
  init(pipes: ChildPipes, onEvent: @escaping Watcher) {
    self.onEvent = onEvent
    for fd in [pipes.input, pipes.output, pipes.error] { _ = csystem_nonblocking(fd) }
    input = ChildInput(pipes.input)
    (output, error) = (pipes.output, pipes.error)
  }

  /// A process of which nothing is wanted but its end.
  init(stray pid: Int32) {
    onEvent = { _ in .goOn }
    input = ChildInput(-1)
    (output, error) = (-1, -1)
    identify(as: pid)
    signal(SIGKILL)
  }

  func identify(as pid: Int32) {
    self.pid = pid
    csystem_add_ward(pid)
    exitWatch = csystem_pidfd(pid)
  }

  /// Whether nothing can be heard from it any more.
  var isMute: Bool { output < 0 }

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

  /// When to look again although nothing happens.
  var milliseconds: Int32? {
    if let drainsUntil { return ContinuousClock.now.duration(to: drainsUntil).pollMilliseconds }
    // Without a descriptor for the end, the end is looked for after the output has ended.
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
    kill(-pid, signal)
    kill(pid, signal)
  }

  /// Returns whether everything about the child has been reported.
  func reportEndIfOver() -> Bool {
    if exitWatch < 0 { noteEnd() }
    guard hasEnded else { return false }
    let isOver = output < 0 && error < 0
    guard isOver || drainsUntil.map({ $0 <= .now }) == true else { return false }
    _ = onEvent(.exited(collectEnd()))
    return true
  }

  private func read(_ fd: inout Int32, _ event: ([UInt8]) -> ChildEvent) {
    let count = Foundation.read(fd, &buffer, buffer.count)
    if count > 0 {
      if onEvent(event(Array(buffer[..<count]))) == .kill { signal(SIGKILL) }
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(fd)
      fd = -1
    }
  }

  private func noteEnd() {
    guard !hasEnded, pid > 0 else { return }
    var ended = siginfo_t()
    if waitid(P_PID, id_t(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 {
      guard ended.si_signo == SIGCHLD else { return }
      // What the child started in its group goes with it.
      kill(-pid, SIGKILL)
    } else if errno != ECHILD {
      return
    }
    csystem_remove_ward(pid)
    hasEnded = true
    drainsUntil = ContinuousClock.now + Self.drainPatience
    input.close()
  }

  private func collectEnd() -> ExitStatus {
    var raw: Int32 = 0
    var usage = rusage()
    // Somebody else has collected it: that it is gone is known, and how it went is not.
    guard wait4(pid, &raw, 0, &usage) == pid else { return .signal(SIGKILL) }
    var own = rusage()
    getrusage(Self.thisProcess, &own)
    // Before it became its program it had this process's memory, which is counted with its own.
    if usage.ru_maxrss > own.ru_maxrss {
      _ = onEvent(.peakMemory(usage.ru_maxrss * Self.unitOfPeak))
    }
    let signal = raw & 0x7F
    return signal == 0 ? .code((raw >> 8) & 0xFF) : .signal(signal)
  }
}

extension Duration {
  /// How long `poll` waits until this is over, as far as it can wait.
  var pollMilliseconds: Int32 {
    let whole: Double = max(.zero, self) / .milliseconds(1)
    return Int32(min(whole, Double(Int32.max - 1))) + 1
  }
}

/// A list of C strings that ends with a null pointer, for as long as it is held.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) {
    pointers = strings.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}
