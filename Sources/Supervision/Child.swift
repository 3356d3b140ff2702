import CSystem
import Foundation

/// One child, as the pump's thread sees it.
///
/// Never used on another thread.
final class Child {
  /// How long output is still read after the end: something that the child started may hold it open.
  private static let drainSeconds = 2.0
  /// How much may wait to be written.
  ///
  /// Whoever does not read so much is not listening any more.
  private static let maximumPending = 2 * 16 * 1024 * 1024

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
  private var input: Int32
  private var output: Int32
  private var error: Int32
  private var pending: [UInt8] = []
  private var pendingStart = 0
  private var closesInputWhenWritten = false
  private var status: ExitStatus?
  private var drainsUntil: Date?

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
    (input, output, error) = (pipes.input, pipes.output, pipes.error)
    for fd in [input, output, error] { _ = csystem_nonblocking(fd) }
  }

  /// A process of which nothing is wanted but its end.
  init(stray pid: Int32) {
    onEvent = { _ in .goOn }
    (input, output, error) = (-1, -1, -1)
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
    for fd in [input, output, error, exitWatch] where fd >= 0 { close(fd) }
  }

  var pollRequests: [pollfd] {
    var requests: [pollfd] = []
    if output >= 0 { requests.append(pollfd(fd: output, events: Int16(POLLIN), revents: 0)) }
    if error >= 0 { requests.append(pollfd(fd: error, events: Int16(POLLIN), revents: 0)) }
    if input >= 0, pendingStart < pending.count {
      requests.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0))
    }
    if status == nil, exitWatch >= 0 {
      requests.append(pollfd(fd: exitWatch, events: Int16(POLLIN), revents: 0))
    }
    return requests
  }

  /// When to look again although nothing happens.
  var milliseconds: Int32? {
    if let drainsUntil { return Int32(max(0, drainsUntil.timeIntervalSinceNow * 1000)) + 1 }
    // Without a descriptor for the end, the end is looked for after the output has ended.
    return exitWatch < 0 && pid > 0 ? 20 : nil
  }

  func serve(_ request: pollfd) {
    switch request.fd {
    case output:
      read(&output) { .output($0) }
      if output < 0 { _ = onEvent(.outputClosed) }
    case error: read(&error) { .error($0) }
    case input: flush()
    default: collectExit()
    }
  }

  /// Writes a message at once, with descriptors; nothing else may be waiting to be written.
  func write(_ bytes: [UInt8], with descriptors: [Int32]) throws(LaunchError) {
    guard input >= 0, !closesInputWhenWritten, pendingStart == pending.count else {
      throw .system(call: "asking a template to fork", code: EAGAIN)
    }
    let count = csystem_send(input, bytes, bytes.count, descriptors, Int32(descriptors.count))
    guard count >= 0 else { throw .system(call: "asking a template to fork", code: errno) }
    // The descriptors went with the first byte; the rest may follow when there is room.
    if count < bytes.count { write(Array(bytes[count...])) }
  }

  func write(_ bytes: [UInt8]) {
    // After a message that was not taken, those that follow it would be out of turn.
    guard input >= 0, !closesInputWhenWritten else { return }
    guard pending.count - pendingStart + bytes.count <= Self.maximumPending else {
      closeInput()
      return
    }
    pending += bytes
    flush()
  }

  func closeInput() {
    if pendingStart < pending.count, status == nil {
      closesInputWhenWritten = true
    } else if input >= 0 {
      close(input)
      input = -1
    }
  }

  func signal(_ signal: Int32) {
    // After its end has been collected the number may be somebody else's.
    guard status == nil, pid > 0 else { return }
    kill(-pid, signal)
    kill(pid, signal)
  }

  /// Returns whether everything about the child has been reported.
  func reportEndIfOver() -> Bool {
    if exitWatch < 0 { collectExit() }
    guard let status else { return false }
    let isOver = output < 0 && error < 0
    guard isOver || drainsUntil.map({ $0.timeIntervalSinceNow <= 0 }) == true else { return false }
    _ = onEvent(.exited(status))
    return true
  }

  private func read(_ fd: inout Int32, _ event: ([UInt8]) -> ChildEvent) {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = Foundation.read(fd, &buffer, buffer.count)
    if count > 0 {
      if onEvent(event(Array(buffer[..<count]))) == .kill { signal(SIGKILL) }
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(fd)
      fd = -1
    }
  }

  private func flush() {
    while pendingStart < pending.count, input >= 0 {
      let count = pending[pendingStart...].withUnsafeBytes {
        Foundation.write(input, $0.baseAddress, $0.count)
      }
      if count > 0 {
        pendingStart += count
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        // Nobody reads any more; the end of the child says why.
        close(input)
        input = -1
      }
    }
    pending.removeAll(keepingCapacity: pending.count <= 64 * 1024)
    pendingStart = 0
    if closesInputWhenWritten { closeInput() }
  }

  private func collectExit() {
    guard status == nil, pid > 0 else { return }
    var ended = siginfo_t()
    guard waitid(P_PID, id_t(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0,
      ended.si_signo == SIGCHLD
    else { return }
    // What the child started in its group goes with it. Before the end is collected, because until
    // then the number of the group is nobody else's.
    kill(-pid, SIGKILL)
    csystem_remove_ward(pid)
    var raw: Int32 = 0
    var usage = rusage()
    guard wait4(pid, &raw, 0, &usage) == pid else { return }
    var own = rusage()
    getrusage(Self.thisProcess, &own)
    // Before it became its program it had this process's memory, which is counted with its own.
    if usage.ru_maxrss > own.ru_maxrss {
      _ = onEvent(.peakMemory(usage.ru_maxrss * Self.unitOfPeak))
    }
    let signal = raw & 0x7F
    status = signal == 0 ? .code((raw >> 8) & 0xFF) : .signal(signal)
    drainsUntil = Date(timeIntervalSinceNow: Self.drainSeconds)
    pending.removeAll()
    pendingStart = 0
    closeInput()
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
