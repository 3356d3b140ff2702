import PlatformLibraries
import Synchronization

/// Keeps a worker's standard error: in a bounded file, and its last part in memory.
package final class WorkerLog: Sendable {
  private static let maximumFileBytes = 4 * 1024 * 1024
  private static let maximumTailBytes = 8 * 1024

  private struct State: ~Copyable {
    var file: Int32
    var fileBytes: Int
    var tail: [UInt8] = []

    deinit {
      if file >= 0 { systemClose(file) }
    }
  }

  private let path: String
  private let state: Mutex<State>
  /// Receives everything that is written, on the writer's thread.
  private let forward: (@Sendable ([UInt8]) -> Void)?

  /// Opens the log.
  ///
  /// A log that cannot be written is lost, but the worker goes on.
  package init(path: String, forward: (@Sendable ([UInt8]) -> Void)? = nil) {
    self.path = path
    self.forward = forward
    state = Mutex(State(file: Self.open(path), fileBytes: 0))
  }

  private static func open(_ path: String) -> Int32 {
    systemAppend(to: path)
  }

  /// Returns whether the log is a regular file: only that may be rotated, not a device or
  /// pipe that was named as the log.
  private static func isFile(_ descriptor: Int32) -> Bool {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  package func append(_ bytes: [UInt8]) {
    forward?(bytes)
    state.withLock { state in
      state.tail += bytes
      if state.tail.count > 2 * Self.maximumTailBytes {
        state.tail.removeFirst(state.tail.count - Self.maximumTailBytes)
      }
      if state.fileBytes + bytes.count > Self.maximumFileBytes, Self.isFile(state.file) {
        // The full file is kept under another name, replacing the previous one.
        systemClose(state.file)
        rename(path, path + ".1")
        state.file = Self.open(path)
        state.fileBytes = 0
      }
      state.fileBytes += max(0, write(state.file, bytes, bytes.count))
    }
  }

  /// Closes the file; the last lines are kept.
  package func close() {
    state.withLock { state in
      if state.file >= 0 { systemClose(state.file) }
      state.file = -1
    }
  }

  /// Returns the last lines, oldest first.
  package func lastLines(_ count: Int) -> [String] {
    let tail = state.withLock { $0.tail.suffix(Self.maximumTailBytes) }
    return String(decoding: tail, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: true)
      .suffix(count)
      .map(String.init)
  }
}
