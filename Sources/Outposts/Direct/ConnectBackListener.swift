import CSystemCalls
import PlatformLibraries
import Supervision
import Synchronization

/// Waits for one outpost to connect back.
final class ConnectBackListener: Sendable {
  /// How long it listens: the outpost is told of it first, and then has three seconds to connect.
  private static let patience = Duration.seconds(10)

  let offer: ConnectBackOffer
  private let descriptor: Int32
  private let isOpen = Atomic(true)

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
  /// is sent away.
  ///
  /// Blocks the thread.
  ///
  /// - Returns: `nil` where it has not come in time.
  func accept() -> DirectConnection? {
    defer { close() }
    let end = ContinuousClock.now + Self.patience
    while case let rest = end - .now, rest > .zero {
      let found = csystem_accept(descriptor, Int32(rest / .milliseconds(1)))
      guard found >= 0 else {
        // Without descriptors, for one, this fails at once while the outpost stands waiting.
        if errno != ETIMEDOUT { usleep(50_000) }
        continue
      }
      if let connection = try? DirectConnection.accept(found, key: offer.key) { return connection }
    }
    return nil
  }

  private func close() {
    if isOpen.exchange(false, ordering: .relaxed) { systemClose(descriptor) }
  }
}
