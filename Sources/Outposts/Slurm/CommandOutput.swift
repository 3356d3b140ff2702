import PlatformLibraries
package import Supervision
import Synchronization

extension ChildEventLoop {
  /// Runs a short command to its end and returns what it has printed.
  ///
  /// - Parameters:
  ///   - limit: The bytes of output that are kept; one that prints more is killed.
  ///   - patience: After this time the command is killed.
  /// - Returns: `nil` when it could not be started, failed, printed too much or took too long.
  package func output(of launch: Launch, limit: Int, patience: Duration) async -> String? {
    let (ends, told) = AsyncStream<String?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let text = Mutex<[UInt8]>([])
    let pid = try? await self.launch(launch) { event in
      switch event {
      case .output(let bytes):
        let isTooLong = text.withLock { text in
          text += bytes
          return text.count > limit
        }
        if isTooLong { return .kill }
      case .error, .outputClosed: break
      case .exited(let status):
        let bytes = text.withLock { $0 }
        told.yield(status == .code(0) ? String(decoding: bytes, as: UTF8.self) : nil)
        told.finish()
      }
      return .goOn
    }
    guard let pid else { return nil }
    closeInput(of: pid)
    let bound = Task {
      try await Task.sleep(for: patience)
      signal(SIGKILL, to: pid)
    }
    defer { bound.cancel() }
    for await end in ends { return end }
    // Cancelled: the command is of no use any more.
    signal(SIGKILL, to: pid)
    return nil
  }
}

extension Launch {
  /// A command as a person writes it, found by `PATH` when it is not a path.
  ///
  /// - Returns: `nil` when there is no such program.
  package init?(command: [String], environment: [String: String]) {
    guard let name = command.first else { return nil }
    let found =
      name.contains("/") ? name : findProgram(name, in: environment["PATH"] ?? "/usr/bin:/bin")
    guard let program = found, access(program, X_OK) == 0 else { return nil }
    self.init(
      executable: program,
      arguments: Array(command.dropFirst()),
      environment: environment
    )
  }
}
