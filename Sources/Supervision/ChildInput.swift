import CSystem
import Foundation
import Synchronization

/// What a child is told through its standard input.
///
/// Whoever says something writes it at once, on a thread of its own; the pump writes what a child
/// was too slow for. The pump alone closes the descriptor, because it may be waiting on it.
final class ChildInput: Sendable {
  /// How much may wait to be written.
  ///
  /// Whoever does not read so much is not listening any more. Long histories with many photographs are
  /// told at once, in several messages, and may wait until a model is loaded.
  static let maximumPending = 512 << 20

  fileprivate struct State {
    var fd: Int32
    var pending: [UInt8] = []
    var start = 0
    /// Whether nothing more is taken: it is closed when what was taken is written.
    var isEnding = false

    var isWaiting: Bool { start < pending.count }
  }

  private let limit: Int
  private let state: Mutex<State>
  /// What the pump is to wait for, or less than zero: it asks each time that any child says anything,
  /// and must not wait for whoever is writing.
  private let waiting = Atomic<Int32>(-1)

  /// - Parameter limit: How many bytes may wait to be written.
  init(_ fd: Int32, limit: Int = ChildInput.maximumPending) {
    self.limit = limit
    state = Mutex(State(fd: fd))
  }

  private func change<Value, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Value
  ) throws(Failure) -> Value {
    try state.withLock { (state) throws(Failure) in
      defer { waiting.store(state.isWaiting ? state.fd : -1, ordering: .relaxed) }
      return try body(&state)
    }
  }

  deinit {
    let fd = state.withLock { $0.fd }
    if fd >= 0 { Foundation.close(fd) }
  }

  /// How many bytes of memory are held for what was said and is not written yet.
  var heldBytes: Int { state.withLock { $0.pending.capacity } }

  /// What the pump is to wait for; `nil` when nothing waits to be written.
  var pollRequest: pollfd? {
    let fd = waiting.load(ordering: .relaxed)
    return fd >= 0 ? pollfd(fd: fd, events: Int16(POLLOUT), revents: 0) : nil
  }

  /// Says something, after what was said before.
  /// - Returns: Whether the pump has something left to do.
  func write(_ bytes: [UInt8]) -> Bool {
    change { state in
      // After a message that was not taken, those that follow it would be out of turn.
      guard state.fd >= 0, !state.isEnding else { return false }
      guard state.pending.count - state.start + bytes.count <= limit else {
        state.isEnding = true
        return true
      }
      state.pending += bytes
      state.flush()
      return state.isWaiting || state.isEnding
    }
  }

  /// Says something with descriptors; nothing else may be waiting to be written.
  func write(_ bytes: [UInt8], with descriptors: [Int32]) throws(LaunchError) {
    try change { (state) throws(LaunchError) in
      guard state.fd >= 0, !state.isEnding, !state.isWaiting else {
        throw .system(call: "asking a template to fork", code: EAGAIN)
      }
      let count = csystem_send(
        state.fd,
        bytes,
        bytes.count,
        descriptors,
        Int32(descriptors.count)
      )
      guard count >= 0 else { throw .system(call: "asking a template to fork", code: errno) }
      // The descriptors went with the first byte; the rest may follow when there is room.
      state.pending += bytes[count...]
      state.flush()
    }
  }

  /// Takes nothing more.
  func end() { change { $0.isEnding = true } }

  /// Writes what waits, and closes what has ended; called by the pump.
  func serve() {
    change { state in
      state.flush()
      if state.isEnding, !state.isWaiting { state.close() }
    }
  }

  /// Drops what waits, and closes; called by the pump.
  func close() { change { $0.close() } }
}

extension ChildInput.State {
  /// How much is let go at once, so that little is moved for it.
  private static let bulk = 64 * 1024

  fileprivate mutating func flush() {
    while isWaiting, fd >= 0 {
      let count = pending[start...].withUnsafeBytes {
        Foundation.write(fd, $0.baseAddress, $0.count)
      }
      if count > 0 {
        start += count
      } else if errno == EAGAIN {
        dropWritten()
        return
      } else if errno != EINTR {
        // Nobody reads any more; the end of the child says why.
        isEnding = true
        break
      }
    }
    pending.removeAll(keepingCapacity: pending.capacity <= 2 * Self.bulk)
    start = 0
  }

  /// Lets go of what is written, although something still waits.
  ///
  /// For a child that is never quite done, all that it was ever told would be kept.
  private mutating func dropWritten() {
    // What is moved is never more than what is let go.
    guard start > Self.bulk, start >= pending.count / 2 else { return }
    // In a buffer of its own size: the old one would keep what it once held for the child's whole life.
    pending = Array(pending[start...])
    start = 0
  }

  fileprivate mutating func close() {
    pending = []
    start = 0
    isEnding = true
    if fd >= 0 { Foundation.close(fd) }
    fd = -1
  }
}
