import CSystemCalls
import Foundation
import Synchronization

/// A program that is run to completion, with its output captured.
struct Subprogram: Sendable {
  struct Outcome: Sendable {
    /// The exit status, or 128 plus the number of the signal that ended the program.
    let status: Int32
    /// Whether it was killed because its time ran out.
    var isOverdue = false
    /// The output; only its beginning and end if it is very long.
    let output: String

    /// The last line of the output, on which a worker gives its answer.
    var lastLine: String { output.split(separator: "\n").last.map(String.init) ?? "" }

    /// Why there is no answer, in the program's own words if it left any.
    var reason: String {
      if isOverdue { return "it did not finish in time" }
      if !lastLine.isEmpty { return lastLine }
      return status > 128
        ? "it was killed by signal \(status - 128)" : "it exited with status \(status)"
    }

    /// Whether something outside the program killed it, or a part of a compiler, so that it may
    /// succeed the next time.
    var wasKilled: Bool {
      if isOverdue { return false }
      return [SIGKILL, SIGTERM, SIGINT, SIGHUP].contains(status - 128)
        || output.contains("failed due to signal")
    }

    /// Decodes the JSON on the last line; `nil` when there is none or the program failed.
    func answer<Answer: Decodable>(_ type: Answer.Type = Answer.self) -> Answer? {
      guard status == 0 else { return nil }
      return try? JSONDecoder().decode(type, from: Data(lastLine.utf8))
    }
  }

  /// Why a program could not be run at all.
  struct Fault: Error, CustomStringConvertible {
    let program: String
    let code: Int32

    var description: String { "\(program) cannot be run: \(String(cString: strerror(code)))" }
  }

  /// The environment for such programs: only the listed variables.
  static var environment: [String: String] {
    let visible = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH"]
    return ProcessInfo.processInfo.environment.filter { visible.contains($0.key) }
      .merging(compilerVariables) { $1 }
  }

  /// The variables that tell a compiler where to find what it compiles against.
  static var compilerVariables: [String: String] {
    let names = ["SDKROOT", "DEVELOPER_DIR", "TOOLCHAINS", "CPATH", "LIBRARY_PATH"]
    return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
  }

  /// The bytes kept of the beginning and the end of an output, which may be one long line.
  private static let (headLimit, tailLimit) = (64 << 10, 1 << 20)

  let executable: String
  let arguments: [String]
  let environment: [String: String]

  init(
    _ executable: String,
    _ arguments: [String],
    environment: [String: String] = Self.environment
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// Runs the program; one that takes longer is killed.
  ///
  /// Its output goes to a file, because a pipe that is not read would stall the program, and one
  /// that something else keeps open would never end.
  func run(within patience: Duration) async throws -> Outcome {
    let name = "orchestrator-\(UUID().uuidString)"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    let output = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw Fault(program: path, code: errno) }
    unlink(path)
    defer { close(output) }
    let (status, isOverdue) = await end(of: Child(pid: try start(output)), within: patience)
    return Outcome(status: status, isOverdue: isOverdue, output: Self.contents(of: output))
  }

  private func start(_ output: Int32) throws -> pid_t {
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    var pid: pid_t = 0
    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + variables { free(pointer) } }
    let problem = csystem_spawn_registered(
      executable,
      &argv,
      &variables,
      null,
      output,
      output,
      &pid
    )
    guard problem == 0 else { throw Fault(program: executable, code: problem) }
    return pid
  }

  private func end(
    of child: Child,
    within patience: Duration
  ) async -> (status: Int32, isOverdue: Bool) {
    // A task of its own, because the wait is a blocking thread; it ends with the program.
    let timer = Task {
      // While the machine sleeps, so does the program.
      try await Task.sleep(for: patience, clock: .suspending)
      child.kill()
    }
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
        // Waiting blocks; the thread ends with the program.
        Thread.detachNewThread { continuation.resume(returning: child.wait()) }
      }
    } onCancel: {
      child.kill()
    }
    timer.cancel()
    let hasRung = (try? await timer.value) != nil
    return (status, hasRung && status == 128 + SIGKILL)
  }

  /// The program's process, whose number may belong to another once it was waited for.
  private final class Child: Sendable {
    private let pid: pid_t
    private let isReaped = Mutex(false)

    init(pid: pid_t) { self.pid = pid }

    /// Kills it and what it has started.
    func kill() {
      isReaped.withLock { isReaped in
        if !isReaped { Foundation.kill(-pid, SIGKILL) }
      }
    }

    /// Waits until it has ended.
    /// - Returns: Its exit status, or 128 plus the number of the signal that ended it.
    func wait() -> Int32 {
      var ended = siginfo_t()
      while waitid(P_PID, id_t(pid), &ended, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      csystem_unregister_child(pid)
      var raw: Int32 = 0
      isReaped.withLock { isReaped in
        while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
        isReaped = true
      }
      let signal = raw & 0x7F
      return signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
    }
  }

  private static func contents(of descriptor: Int32) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return "" }
    let size = Int(status.st_size)
    let left = size - headLimit - tailLimit
    guard left > 0 else { return text(of: descriptor, from: 0, count: size) }
    return text(of: descriptor, from: 0, count: headLimit)
      + "\n[\(left) bytes omitted]\n"
      + text(of: descriptor, from: size - tailLimit, count: tailLimit)
  }

  /// Reads part of a file without moving its offset, because others may still write through it.
  private static func text(of descriptor: Int32, from offset: Int, count: Int) -> String {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      while length < count, let start = buffer.baseAddress {
        let got = pread(descriptor, start + length, count - length, off_t(offset + length))
        if got > 0 {
          length += got
        } else if got == 0 || errno != EINTR {
          return
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
