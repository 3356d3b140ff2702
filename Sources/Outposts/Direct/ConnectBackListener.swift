import CSystemCalls
import Dispatch
import PlatformLibraries
import Supervision
import Synchronization

/// Waits for one outpost to connect back.
final class ConnectBackListener: Sendable {
  /// How long it listens: the outpost is told of it first, and then has three seconds to connect.
  private static let patience = Duration.seconds(10)
  /// How many connections are asked for their proof at once; further ones wait for their turn.
  private static let width = 16
  /// How often it looks whether one of them has proved itself.
  private static let interval = Duration.milliseconds(20)

  let offer: ConnectBackOffer
  private let descriptor: Int32
  private let isOpen = Atomic(true)
  private let outpost = Mutex<DirectConnection?>(nil)

  /// Takes the first of the place's ports that is free.
  init(_ place: ConnectBackPlace) throws(DirectConnection.Problem) {
    var (descriptor, port) = (Int32(-1), UInt16(0))
    for candidate in place.ports ?? 0...0 {
      port = candidate
      descriptor = csystem_listen(place.address, &port)
      if descriptor >= 0 || errno != EADDRINUSE { break }
    }
    guard descriptor >= 0 else { throw DirectConnection.Problem(errno: errno) }
    self.descriptor = descriptor
    let key = ConnectionKeys.random(ConnectBackOffer.keyBytes)
    offer = ConnectBackOffer(address: place.address, port: port, key: key)
  }

  deinit { close() }

  /// Returns the connection of the outpost, which has the key, and listens no more; what else connects
  /// is sent away, and keeps the outpost from nothing meanwhile.
  ///
  /// Blocks the thread.
  ///
  /// - Returns: `nil` where it has not come in time.
  func accept() -> DirectConnection? {
    defer { close() }
    let end = ContinuousClock.now + Self.patience
    let (places, asked) = (DispatchSemaphore(value: Self.width), DispatchGroup())
    let milliseconds = Int(Self.interval / .milliseconds(1))
    while .now < end, outpost.withLock({ $0 == nil }) {
      guard places.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { continue }
      let connection = csystem_accept(descriptor, Int32(milliseconds))
      guard connection >= 0 else {
        // Without descriptors, for one, this fails at once while the outpost stands waiting.
        if errno != ETIMEDOUT { usleep(50_000) }
        places.signal()
        continue
      }
      // A queue of its own has a thread at once, where a concurrent one may wait for others' to end.
      DispatchQueue(label: "connect-back proof").async(group: asked) { [self] in
        defer { places.signal() }
        let found = try? DirectConnection.accept(connection, key: offer.key)
        outpost.withLock { $0 = $0 ?? found }
      }
    }
    // One that came last may prove itself still.
    if outpost.withLock({ $0 == nil }) { asked.wait() }
    return outpost.withLock(\.self)
  }

  private func close() {
    if isOpen.exchange(false, ordering: .relaxed) { systemClose(descriptor) }
  }
}
