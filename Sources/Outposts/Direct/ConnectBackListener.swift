import CSystemCalls
import PlatformLibraries
import Supervision

/// Waits for one outpost to connect back.
final class ConnectBackListener: Sendable {
  /// How long it listens: the outpost is told of it first, and then has three seconds to connect.
  private static let patience = Duration.seconds(10)

  let offer: ConnectBackOffer
  private let descriptor: Int32

  /// - Parameter address: One of this machine.
  init(address: String) throws(DirectConnection.Problem) {
    var port: UInt16 = 0
    descriptor = csystem_listen(address, &port)
    guard descriptor >= 0 else { throw DirectConnection.Problem(errno: errno) }
    let key = ConnectionKeys.random(ConnectBackOffer.keyBytes)
    offer = ConnectBackOffer(address: address, port: port, key: key)
  }

  deinit { systemClose(descriptor) }

  /// Returns the connection of the outpost, which has the key; what else connects is sent away.
  ///
  /// Blocks the thread.
  ///
  /// - Returns: `nil` where it has not come in time.
  func accept() -> DirectConnection? {
    let end = ContinuousClock.now + Self.patience
    while case let rest = end - .now, rest > .zero {
      let found = csystem_accept(descriptor, Int32(rest / .milliseconds(1)))
      guard found >= 0 else { continue }
      if let connection = try? DirectConnection.accept(found, key: offer.key) { return connection }
    }
    return nil
  }
}
