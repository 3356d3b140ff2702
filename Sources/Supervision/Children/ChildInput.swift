import CSystemCalls
import PlatformLibraries
import Synchronization

/// Everything sent to a child through its standard input.
///
/// A sender writes at once, on its own thread; the event loop writes what the child was too slow to
/// read. Only the event loop closes the descriptor, because it may be polling it.
final class ChildInput: Sendable {
  /// How many bytes may wait to be written.
  ///
  /// A child that falls further behind has stopped reading. The limit is this high because long
  /// histories with many photographs are sent at once, in several messages, and may have to wait
  /// until a model is loaded.
  static let maximumPending = 512 << 20

  fileprivate struct State {
    var fd: Int32
    var pending: [UInt8] = []
    var start = 0
    /// Whether new bytes are refused; the descriptor is closed once the accepted ones are written.
    var isEnding = false

    var isWaiting: Bool { start < pending.count }
  }

  private let limit: Int
  private let state: Mutex<State>
  /// The descriptor the event loop has to poll, or -1.
  ///
  /// It is atomic because the event loop reads it for every event of any child and must not wait
  /// for a writer.
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
    if fd >= 0 { systemClose(fd) }
  }

  /// The number of bytes of memory held for what is not yet written.
  var heldBytes: Int { state.withLock { $0.pending.capacity } }

  /// What the event loop has to poll for; `nil` when nothing waits to be written.
  var pollRequest: pollfd? {
    let fd = waiting.load(ordering: .relaxed)
    return fd >= 0 ? pollfd(fd: fd, events: Int16(POLLOUT), revents: 0) : nil
  }

  /// Writes bytes after everything written before.
  ///
  /// - Returns: Whether the event loop has something left to do.
  func write(_ bytes: [UInt8]) -> Bool {
    change { state in
      // Once a message was refused, later ones would be out of sequence.
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

  /// Writes bytes along with descriptors.
  ///
  /// Nothing else may be waiting to be written.
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

  /// Refuses anything further.
  func end() { change { $0.isEnding = true } }

  /// Writes what waits and closes the input when it is ending; called by the event loop.
  func serve() {
    change { state in
      state.flush()
      if state.isEnding, !state.isWaiting { state.close() }
    }
  }

  /// Drops what waits and closes the input; called by the event loop.
  func close() { change { $0.close() } }
}

extension ChildInput.State {
  /// How many bytes are dropped at once, so that the remainder is rarely moved.
  private static let bulk = 64 * 1024

  fileprivate mutating func flush() {
    while isWaiting, fd >= 0 {
      let count = pending[start...].withUnsafeBytes {
        write(fd, $0.baseAddress, $0.count)
      }
      if count > 0 {
        start += count
      } else if errno == EAGAIN {
        dropWritten()
        return
      } else if errno != EINTR {
        // The other end is closed; the exit of the child will say why.
        isEnding = true
        break
      }
    }
    pending.removeAll(keepingCapacity: pending.capacity <= 2 * Self.bulk)
    start = 0
  }

  /// Drops the bytes already written although others still wait.
  ///
  /// Otherwise a child that is always a little behind would keep everything it was ever sent.
  private mutating func dropWritten() {
    // Never move more than is dropped.
    guard start > Self.bulk, start >= pending.count / 2 else { return }
    // A new buffer of the right size: the old one would keep its largest capacity for the child's
    // whole life.
    pending = Array(pending[start...])
    start = 0
  }

  fileprivate mutating func close() {
    pending = []
    start = 0
    isEnding = true
    if fd >= 0 { systemClose(fd) }
    fd = -1
  }
}
