package import PlatformLibraries
import Synchronization

/// A process that serves on its standard input and output, as a child of this one.
package final class ServerProcess: Sendable {
  package enum Event: Sendable, Equatable {
    case output([UInt8])
    case ended(ExitStatus)
  }

  private struct State {
    var pid: Int32 = 0
    var hasEnded = false
    /// The bytes of output that the reader has not taken yet.
    var waitingBytes = 0
  }

  /// More than the longest message that is read.
  package static let maximumWaitingBytes = 48 << 20

  package let launched = Date()
  /// What the process writes, in order, and then its end; for one reader only.
  package let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let log: WorkerLog
  private let eventLoop: ChildEventLoop
  private let state = Mutex(State())
  private let ended = Latch()

  init(log: WorkerLog, eventLoop: ChildEventLoop) {
    self.log = log
    self.eventLoop = eventLoop
    (events, continuation) = AsyncStream<Event>.makeStream()
  }

  package var pid: Int32 { state.withLock { $0.pid } }
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }
  /// The memory of the process in bytes, with shared pages divided among users; `nil` if unknown.
  package var memory: Int? { ProcessMemory.proportional(of: pid) }

  func identify(as pid: Int32) { state.withLock { $0.pid = pid } }

  /// Handles an event of the process, on the thread of the event loop.
  func handle(_ event: ChildEvent, _ onEnd: () -> Void) -> ChildReaction {
    switch event {
    case .output(let bytes):
      let waiting = state.withLock { state in
        state.waitingBytes += bytes.count
        return state.waitingBytes
      }
      guard waiting <= Self.maximumWaitingBytes else { return .kill }
      continuation.yield(.output(bytes))
    case .error(let bytes): log.append(bytes)
    case .outputClosed: break
    case .exited(let status):
      state.withLock { $0.hasEnded = true }
      log.close()
      onEnd()
      continuation.yield(.ended(status))
      continuation.finish()
      ended.open()
    }
    return .goOn
  }

  /// Notes that output was taken, which makes room for more.
  package func noteRead(_ bytes: Int) { state.withLock { $0.waitingBytes -= bytes } }

  package func write(_ bytes: [UInt8]) {
    // Its number may belong to another process by now.
    guard !hasEnded else { return }
    eventLoop.write(bytes, to: pid)
  }

  /// Adds a line of our own to its log.
  package func note(_ line: String) { log.append(Array("\(line)\n".utf8)) }

  /// The last lines of its log, oldest first.
  package func lastLines(_ count: Int) -> [String] { log.lastLines(count) }

  /// Ends the process and all that it has started, step by step; returns once it has ended.
  ///
  /// - Parameter patience: How long it may take to end by itself once its input is closed, and again
  ///   once it is asked to.
  package func end(patience: Duration = .seconds(2)) async {
    let steps: [() -> Void] = [
      { self.eventLoop.closeInput(of: self.pid) }, { self.eventLoop.signal(15, to: self.pid) },
      { self.eventLoop.signal(9, to: self.pid) },
    ]
    for step in steps where !hasEnded {
      step()
      if await ended.wait(patience) { return }
    }
  }

  package func kill() {
    guard !hasEnded else { return }
    eventLoop.signal(9, to: pid)
  }
}
