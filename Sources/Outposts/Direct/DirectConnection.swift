import CSystemCalls
import Dispatch
import PlatformLibraries
import Supervision
import Synchronization
import Wire

/// A connection of an outpost to its coordinator, which carries the channel in place of the
/// launcher's pipes.
///
/// Nothing that crosses it is accepted without proof that the other end has the key. Nothing is
/// encrypted.
final class DirectConnection: Sendable {
  private let descriptor: Int32
  private let sealer: Mutex<RecordSealer>
  private let opener: Mutex<RecordOpener>
  private let isClosed = Atomic(false)
  private let wakes = DispatchSemaphore(value: 0)
  private let readingEnds = DispatchSemaphore(value: 0)

  /// - Parameter descriptor: A connection, which becomes this one's.
  private init(_ descriptor: Int32, _ keys: ConnectionKeys, own: ConnectionKeys.End) {
    self.descriptor = descriptor
    let other: ConnectionKeys.End = own == .outpost ? .coordinator : .outpost
    sealer = Mutex(keys.sealer(of: own))
    opener = Mutex(keys.opener(of: other))
  }

  deinit { systemClose(descriptor) }

  // MARK: Writing

  /// Writes bytes, and returns once the system has taken them.
  ///
  /// - Returns: Whether that succeeded.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    // Under the lock, so that records cannot change places.
    sealer.withLock { writeAll($0.seal(bytes), to: descriptor) }
  }

  /// Carries what a sender has, as soon as it can go, until the connection is closed.
  func carry(_ sender: ChannelSender) {
    DispatchQueue(label: "connection").async { [self] in
      while !isClosed.load(ordering: .acquiring) {
        while let bytes = sender.next() { if !write(bytes) { return } }
        wakes.wait()
      }
    }
  }

  /// There is something to carry.
  func wake() { wakes.signal() }

  // MARK: Reading

  /// Hands over what arrives, record by record, until the connection ends; blocks the thread.
  ///
  /// - Throws: `WireBreach` for what the other end has not sealed, and what `take` throws.
  func read(_ take: ([UInt8]) throws(WireBreach) -> Void) throws(WireBreach) {
    defer { readingEnds.signal() }
    var buffer = [UInt8](repeating: 0, count: 128 * 1024)
    while true {
      let count = systemRead(descriptor, into: &buffer)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      opener.withLock { $0.append(buffer[..<count]) }
      while let record = try opener.withLock({ opener throws(WireBreach) in try opener.next() }) {
        try take(record)
      }
    }
  }

  // MARK: Ending

  /// Ends it in both directions; what reads and what carries return.
  func close() {
    isClosed.store(true, ordering: .releasing)
    shutdown(descriptor, Int32(SHUT_RDWR))
    wakes.signal()
  }

  /// Ends it after what was written, and waits until the other end has read that.
  func finish(within timeout: DispatchTimeInterval) {
    sealer.withLock { _ in _ = shutdown(descriptor, Int32(SHUT_WR)) }
    _ = readingEnds.wait(timeout: .now() + timeout)
  }
}

// MARK: Opening

extension DirectConnection {
  /// Why there is no connection.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(errno code: Int32) { description = String(cString: strerror(code)) }
  }

  /// How long the other end may take for all of its proof, however it divides that: the coordinator
  /// has few places for connections without one.
  private static let patience = Duration.seconds(2)
  /// How long the outpost waits, since others may have the places.
  private static let outpostPatience = Duration.seconds(6)

  /// Connects to the coordinator; blocks the thread for no more than some seconds.
  static func connect(_ offer: ConnectBackOffer) throws(Problem) -> DirectConnection {
    let descriptor = csystem_connect(offer.address, offer.port, 3000)
    guard descriptor >= 0 else { throw Problem(errno: errno) }
    return try opened(descriptor, within: outpostPatience) { limit throws(Problem) in
      let own = ConnectionKeys.random(ConnectionKeys.nonceBytes)
      try send(own, to: descriptor)
      let other = try receive(ConnectionKeys.nonceBytes, from: descriptor, until: limit)
      let keys = ConnectionKeys(key: offer.key, outpost: own, coordinator: other)
      try checkProof(of: .coordinator, keys, from: descriptor, until: limit)
      try send(keys.proof(of: .outpost), to: descriptor)
      return DirectConnection(descriptor, keys, own: .outpost)
    }
  }

  /// Accepts the outpost at the other end of a connection, if it is that.
  static func accept(_ descriptor: Int32, key: [UInt8]) throws(Problem) -> DirectConnection {
    try opened(descriptor, within: patience) { limit throws(Problem) in
      let own = ConnectionKeys.random(ConnectionKeys.nonceBytes)
      let other = try receive(ConnectionKeys.nonceBytes, from: descriptor, until: limit)
      let keys = ConnectionKeys(key: key, outpost: other, coordinator: own)
      try send(own + keys.proof(of: .coordinator), to: descriptor)
      try checkProof(of: .outpost, keys, from: descriptor, until: limit)
      return DirectConnection(descriptor, keys, own: .coordinator)
    }
  }

  /// Bounds the time of the proof, and closes a connection that does not come about.
  private static func opened(
    _ descriptor: Int32,
    within patience: Duration,
    _ open: (ContinuousClock.Instant) throws(Problem) -> DirectConnection
  ) throws(Problem) -> DirectConnection {
    do throws(Problem) {
      let limit = ContinuousClock.now + patience
      try bound(descriptor, until: limit)
      let connection = try open(limit)
      // From now on, a heartbeat tells whether the other end is there.
      csystem_bound(descriptor, 0)
      return connection
    } catch {
      systemClose(descriptor)
      throw error
    }
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) throws(Problem) {
    guard writeAll(bytes, to: descriptor) else { throw Problem(errno: errno) }
  }

  /// Has whatever waits for the other end return at a moment.
  private static func bound(
    _ descriptor: Int32,
    until limit: ContinuousClock.Instant
  ) throws(Problem) {
    let rest = (limit - .now) / .milliseconds(1)
    // 0 would stand for no bound.
    guard rest >= 1 else { throw Problem("the other end says too little") }
    guard csystem_bound(descriptor, Int32(rest)) == 0 else { throw Problem(errno: errno) }
  }

  private static func receive(
    _ count: Int,
    from descriptor: Int32,
    until limit: ContinuousClock.Instant
  ) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      try bound(descriptor, until: limit)
      var rest = [UInt8](repeating: 0, count: count - bytes.count)
      let read = systemRead(descriptor, into: &rest)
      if read < 0, errno == EINTR { continue }
      if read < 0, errno == EAGAIN { throw Problem("the other end says nothing") }
      guard read >= 0 else { throw Problem(errno: errno) }
      guard read > 0 else { throw Problem("the other end has closed the connection") }
      bytes += rest[..<read]
    }
    return bytes
  }

  private static func checkProof(
    of end: ConnectionKeys.End,
    _ keys: ConnectionKeys,
    from descriptor: Int32,
    until limit: ContinuousClock.Instant
  ) throws(Problem) {
    let proof = try receive(ConnectionKeys.proofBytes, from: descriptor, until: limit)
    guard MessageAuthenticator.areEqual(proof, keys.proof(of: end)) else {
      throw Problem("the other end does not have the key")
    }
  }
}
