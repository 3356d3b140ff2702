import Dispatch
import Synchronization

/// Writes spans where a person reads them, and may stop reading.
///
/// A stopped terminal holds one line and one thread of its own, and no task.
final class SpanConsole: Sendable {
  private let write: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "orchestrator.telemetry.console", qos: .utility)
  private let isWriting = Mutex(false)

  /// - Parameter write: Writes a line, and may block.
  init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  /// Writes a line, and waits a while until it is written.
  /// - Returns: Whether it was written or will be; not while an earlier one is being written.
  func show(_ line: String, within patience: Duration) async -> Bool {
    let isFree = isWriting.withLock { isWriting in
      defer { isWriting = true }
      return !isWriting
    }
    guard isFree else { return false }
    let (end, ending) = AsyncStream<Void>.makeStream()
    queue.async { [self] in
      write(line)
      isWriting.withLock { $0 = false }
      ending.finish()
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in end {} }
      group.addTask { try? await Task.sleep(for: patience) }
      await group.next()
      group.cancelAll()
    }
    return true
  }
}
