import Synchronization
import Wire

/// One end's way to the other: everything that is sent goes through its queue.
final class ChannelSender: Sendable {
  private struct State {
    var queue = ChannelQueue()
    var epoch: UInt32
    var isClosed = false
    /// Those that wait until less of a lane waits.
    var waiters: [ChannelFrame.Lane: [CheckedContinuation<Void, Never>]] = [:]

    mutating func next() -> [UInt8]? {
      guard let next = queue.next() else { return nil }
      return ChannelFrame(next.stream, epoch: epoch, lane: next.lane, next.frame).bytes
    }
  }

  /// The bytes of a lane that may wait before those that can wait have to.
  private static let patience = 512 * 1024

  private let state: Mutex<State>
  /// Called when there is something to take.
  private let wake: @Sendable (ChannelSender) -> Void

  init(epoch: UInt32, wake: @escaping @Sendable (ChannelSender) -> Void) {
    state = Mutex(State(epoch: epoch))
    self.wake = wake
  }

  func adopt(epoch: UInt32) { state.withLock { $0.epoch = epoch } }

  // MARK: Sending

  /// Sends a message of this end itself.
  func send(_ message: some WireMessage) {
    guard let frames = try? MessageEncoder().frames(of: message) else { return }
    let fit = ChannelFrame.fit(frames, lane: .outpost)
    state.withLock { if !$0.isClosed { $0.queue.append(fit) } }
    wake(self)
  }

  /// Sends frames of a lane after all that waits in it.
  ///
  /// - Returns: The bytes of the lane that now wait.
  @discardableResult
  func send(_ frames: [Frame], stream: ChannelFrame.Stream, lane: ChannelFrame.Lane) -> Int {
    let fit = ChannelFrame.fit(frames, lane: lane)
    let waiting = state.withLock { state in
      if !state.isClosed { state.queue.append(fit, stream: stream, lane: lane) }
      return state.queue.waitingBytes(lane)
    }
    wake(self)
    return waiting
  }

  /// Returns once so little of a lane waits that more may be sent.
  func waitForRoom(in lane: ChannelFrame.Lane) async {
    await withCheckedContinuation { continuation in
      let mayGo = state.withLock { state in
        guard !state.isClosed, state.queue.waitingBytes(lane) > Self.patience else { return true }
        state.waiters[lane, default: []].append(continuation)
        return false
      }
      if mayGo { continuation.resume() }
    }
  }

  /// The most frames of this end itself that wait for an end that reads.
  static let maximumUnread = 16_384

  /// Whether so much waits that the other end cannot be reading.
  var isUnread: Bool { state.withLock { $0.queue.waitingMessages > Self.maximumUnread } }

  func waitingBytes(_ lane: ChannelFrame.Lane) -> Int {
    state.withLock { $0.queue.waitingBytes(lane) }
  }

  func credit(_ lane: ChannelFrame.Lane, bytes: Int) {
    state.withLock { $0.queue.credit(lane, bytes: bytes) }
    wake(self)
  }

  func close(_ lane: ChannelFrame.Lane) { state.withLock { $0.queue.close(lane) } }
  func drop(_ lane: ChannelFrame.Lane) {
    let waiters = state.withLock { state in
      state.queue.drop(lane)
      return state.waiters.removeValue(forKey: lane) ?? []
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Writing

  /// Hands over what goes next, one frame after the other and in order.
  ///
  /// - Parameter write: Called under a lock, so that what two threads take cannot change places.
  func drain(into write: ([UInt8]) -> Void) {
    let waiters = state.withLock { state in
      while let bytes = state.next() { write(bytes) }
      return ready(&state)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Takes what goes next; `nil` when nothing can.
  func next() -> [UInt8]? {
    let (bytes, waiters) = state.withLock { state in (state.next(), ready(&state)) }
    for waiter in waiters { waiter.resume() }
    return bytes
  }

  private func ready(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard !state.waiters.isEmpty else { return [] }
    var ready: [CheckedContinuation<Void, Never>] = []
    for (lane, waiters) in state.waiters where state.queue.waitingBytes(lane) <= Self.patience {
      ready += waiters
      state.waiters[lane] = nil
    }
    return ready
  }

  /// Waits until all that can be sent is handed over, for at most the given time.
  func finish(within timeout: Duration) async {
    let end = ContinuousClock.now + timeout
    while !state.withLock({ $0.queue.isIdle }), .now < end {
      guard (try? await Task.sleep(for: .milliseconds(2))) != nil else { return }
    }
  }

  /// Sends nothing more.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.queue = ChannelQueue()
      return exchange(&state.waiters, with: [:]).values.flatMap(\.self)
    }
    for waiter in waiters { waiter.resume() }
  }
}
